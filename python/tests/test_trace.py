"""The timeline: from the runtime's beginning, on the way, and at its end."""

import json

import numpy as np
import pytest

import heddle


def test_from_beginning_to_end(k, tmp_path):
    with heddle.Runtime("cpu", trace=tmp_path / "all.json") as rt:
        x = rt.array(np.ones(8, np.float32))
        square = rt.compile(k.ptx).square
        square[1, 8](x, 8)
        rt.synchronize()
        rt.write_trace()
        assert (tmp_path / "all.json").read_text().count('"name":"square"') == 1
        rt.call_async(lambda values: values.sum(), [x]).wait()
        for ending, part in [("json", '"square"'), ("svg", "<svg"), ("dot", "digraph")]:
            rt.trace(tmp_path / f"part.{ending}")
            assert part in (tmp_path / f"part.{ending}").read_text()
        events = json.loads((tmp_path / "part.json").read_text())
        assert [event["name"] for event in events if event.get("name") == "square"] == ["square"]
        square[1, 8](x, 8)
    assert (tmp_path / "all.json").read_text().count('"name":"square"') == 2
    json.loads((tmp_path / "all.json").read_text())


def test_pictures_are_drawn_at_the_end(k, tmp_path):
    for ending, part in [("svg", "<svg"), ("dot", "digraph")]:
        file = tmp_path / f"picture.{ending}"
        rt = heddle.Runtime("cpu", trace=str(file))
        x = rt.array(np.ones(8, np.float32))
        rt.compile(k.ptx).square[1, 8](x, 8)
        rt.close()
        assert part in file.read_text()


def test_what_is_refused(rt, tmp_path):
    with pytest.raises(heddle.InvalidArgument, match=r"records no timeline; make it with heddle.Runtime\(trace="):
        rt.trace(tmp_path / "x.json")
    with pytest.raises(heddle.InvalidArgument, match="records no timeline"):
        rt.write_trace()
    with pytest.raises(heddle.IoError, match="absent"):
        heddle.Runtime("interp", trace=tmp_path / "absent" / "x.json")
    with pytest.raises(heddle.IoError, match="directory"):
        heddle.Runtime("interp", trace=tmp_path)
    with pytest.raises(TypeError):
        heddle.Runtime("interp", trace=3)
    recording = heddle.Runtime("cpu", trace=tmp_path / "x.json")
    with pytest.raises(heddle.InvalidArgument, match=r"written as \.json .* \.svg .* or \.dot"):
        recording.trace(tmp_path / "x.png")
    with pytest.raises(heddle.IoError, match="there is no folder"):
        recording.trace(tmp_path / "absent" / "x.svg")
    with pytest.raises(TypeError):
        recording.trace(None)
    recording.close()
    with pytest.raises(heddle.InvalidArgument, match="closed"):
        recording.trace(tmp_path / "y.json")
