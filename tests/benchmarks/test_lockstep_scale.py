"""Networks of the benchmark of large networks have the sizes in their names."""

import pytest
import yaml

from benchmarks.lockstep_scale import NETWORKS, SIZES, configuration
from hydranoc import load

NODES_OF_HARTS = dict(zip(SIZES, (61, 271, 919), strict=True))


@pytest.mark.parametrize("nodes", SIZES[:2])
@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_have_so_many_nodes(kind, nodes, tmp_path):
    file = tmp_path / "network.yaml"
    file.write_text(yaml.safe_dump(configuration(kind, nodes, 100)))
    assert len(load(file).network.processors) == (NODES_OF_HARTS[nodes] if kind == "harts" else nodes)
