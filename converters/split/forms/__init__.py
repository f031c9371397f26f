"""How a lookup looks in a graph: one file a form."""

from converters.split.forms import embedding, embedding_bag, index, index_select
from converters.split.forms.form import Form

FORMS: tuple[Form, ...] = (
    embedding.FORM,
    embedding_bag.FORM,
    index.FORM,
    index_select.FORM,
)
