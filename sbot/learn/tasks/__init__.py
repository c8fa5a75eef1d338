"""Tasks that come with the package, each with scenes, reward, metric and hand-written rule."""
