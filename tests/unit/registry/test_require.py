import sys

import pytest

from registry.errors import MissingExtraError
from registry.require import require


def test_names_the_module_the_environment_and_the_extra():
    with pytest.raises(MissingExtraError) as caught:
        require("no_such_framework", extra="sign")
    assert str(caught.value) == (
        f"no_such_framework is not installed in {sys.prefix}, where this runs. Run there: "
        "pip install 'model-pipeline[sign]'"
    )
    assert caught.value.exit_code == 18
