"""Files of pins."""

import pytest

from pipeline.toolchains.pins import read_pins


def test_names_are_read_as_the_index_writes_them(tmp_path):
    file = tmp_path / "pins.txt"
    file.write_text("# made\nSome_Pack==1.0 \\\n    --hash=sha256:ab \\\n    --hash=sha256:cd\n")
    (pin,) = read_pins(file)
    assert (pin.name, pin.version) == ("some-pack", "1.0")
    assert pin.line == "Some_Pack==1.0 --hash=sha256:ab --hash=sha256:cd"


@pytest.mark.parametrize("line", ["numpy==2.4", "numpy>=2 --hash=sha256:ab", "-e ."])
def test_what_pins_no_bytes_is_refused(tmp_path, line):
    file = tmp_path / "pins.txt"
    file.write_text(f"{line}\n")
    with pytest.raises(ValueError, match="is not 'name==version"):
        read_pins(file)
