"""Renderers: from a `abstract_envs.core.drawing.Drawing` to text (pictures will follow)."""
