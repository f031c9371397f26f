"""Recurrent operators that take the batch first: it is put second, where OpenVINO looks for it."""

from converters.onnx_legal.body import Body
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def applies(place: Place) -> bool:
    """Tell whether the batch comes first."""
    return bool(place.attribute("layout", 0))


def apply(body: Body) -> None:
    """Turn sequence and states, compute, and turn back."""
    place = body.place
    given = list(place.node.input)
    for number in (0, 5, 6):
        if place.has(number):
            given[number] = body.permute(given[number], (1, 0, 2))
    made = [body.fresh("output") if name else "" for name in place.node.output]
    body.again(given, {"layout": None}, made)
    for number, name in enumerate(made):
        if name:
            order = (2, 0, 1, 3) if number == 0 else (1, 0, 2)
            body.give(body.permute(name, order), number)


GRU = Rewrite(
    operator="GRU",
    fault="reads the sequence first, whatever `layout` says",
    cases=("gru_batchwise",),
    apply=apply,
    applies=applies,
)

LSTM = Rewrite(
    operator="LSTM",
    fault="reads the sequence first, whatever `layout` says",
    cases=("lstm_batchwise",),
    apply=apply,
    applies=applies,
)

RNN = Rewrite(
    operator="RNN",
    fault="reads the sequence first, whatever `layout` says",
    cases=("simple_rnn_batchwise",),
    apply=apply,
    applies=applies,
)
