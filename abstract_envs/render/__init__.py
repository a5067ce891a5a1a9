"""Renderers: from a `abstract_envs.core.drawing.Drawing` to a text, an SVG, an array of pixels or a window.

`scene` lays a drawing out as a list of shapes, once for all kinds of pictures; `svg`, `pixels`, `window` and `movie` show it.
"""
