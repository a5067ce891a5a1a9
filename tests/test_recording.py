"""The recording wrappers of gymnasium and PettingZoo make films of the games: real files, read back."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import gymnasium
import imageio_ffmpeg
import numpy as np
import pettingzoo
from gymnasium.wrappers import RecordVideo, RenderCollection
from numpy.typing import NDArray
from pettingzoo.utils.wrappers.record_video import RecordVideo as RecordAECVideo

from abstract_envs import inphexion_v0
from env_cases import all_doors, legal


def film(path: Path, width: int, height: int) -> tuple[str, NDArray[np.int64]]:
    """How many pictures a second a film has, as ffmpeg says it, and the pictures."""
    command = [
        imageio_ffmpeg.get_ffmpeg_exe(),
        "-i",
        str(path),
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-fps_mode",
        "passthrough",
        "-",
    ]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    about = done.stderr.decode()
    assert f" {width}x{height}" in about
    pictures = np.frombuffer(done.stdout, np.uint8).reshape(-1, height, width, 3).astype(int)
    return re.search(r"([\d.]+) fps", about)[1], pictures  # type: ignore[index]


def alike(filmed: Any, picture: Any) -> bool:
    """Films are compressed, with fewer places for colours than for light."""
    return filmed.shape == picture.shape and np.abs(filmed - picture).mean() < 4


@all_doors
def test_pettingzoo(door: Any, tmp_path: Path) -> None:
    env = RecordAECVideo(door.env(render_mode="rgb_array", width=160, height=128), str(tmp_path / "films"))
    env.reset(seed=1)
    frames = [env.render()]
    for _ in range(4):
        env.step(legal(env)[0])
        frames.append(env.render())
    env.close()
    fps, filmed = film(tmp_path / "films" / "rl-video-episode-0.mp4", 160, 128)
    assert fps == "2"
    assert len(filmed) == 5
    for picture, frame in zip(filmed, frames, strict=True):
        assert alike(picture, frame)
    assert not alike(filmed[0], 255 - frames[0])


def test_pettingzoo_make(tmp_path: Path) -> None:
    """Over the registry and through other wrappers."""
    aec = pettingzoo.make("aec", "abstract_envs/inphexion-v0", render_mode="rgb_array", width=64, height=64, theme="dark")
    env = RecordAECVideo(aec, str(tmp_path / "films"), video_length=2)
    env.reset()
    for action in (3, 3 + 49, 4 + 49):
        env.step(action)
    env.close()
    assert len(film(tmp_path / "films" / "rl-video-episode-0.mp4", 64, 64)[1]) == 3


@all_doors
def test_gymnasium(door: Any, tmp_path: Path) -> None:
    name = door.__name__.rpartition(".")[2].replace("_v", "-v")
    made = gymnasium.make(f"abstract_envs/{name}", render_mode="rgb_array", width=160, height=128, max_plies=6)
    env = RecordVideo(made, str(tmp_path / "films"))
    _, info = env.reset(seed=2)
    frames, over = [env.render()], False
    while not over:
        _, _, terminated, truncated, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        frames.append(env.render())
        over = terminated or truncated
    env.close()
    fps, filmed = film(tmp_path / "films" / "rl-video-episode-0.mp4", 160, 128)
    assert fps == "2"
    assert [alike(*pair) for pair in zip(filmed, frames, strict=True)] == [True] * len(frames)


def test_render_collection() -> None:
    options = {"width": 30, "height": 20, "seat": 0}
    env = gymnasium.make("abstract_envs/inphexion-v0", render_mode="rgb_array_list", **options)
    assert isinstance(env, RenderCollection)
    env.reset(seed=0)
    env.step(3)
    frames = env.render()
    assert [frame.shape for frame in frames] == [(20, 30, 3)] * 2
    assert (frames[0] != frames[1]).any()


def test_the_metadata_that_wrappers_read() -> None:
    env = gymnasium.make("abstract_envs/inphexion-v0", render_mode="rgb_array")
    assert env.metadata["render_modes"] == ["ansi", "human", "rgb_array", "svg"]
    assert env.metadata["render_fps"] == 2
    assert env.render_mode == "rgb_array"
    assert inphexion_v0.env(render_mode="svg").render_mode == "svg"
