"""Parameters of the node beside the controller's constants."""

from potential_field_bot.node_parameters import NODE_SPECS, OWN_SPECS
from potential_field_bot.parameters import Parameters


def test_names_are_the_nodes_alone():
    names = [spec.name for spec in NODE_SPECS]
    assert len(set(names)) == len(names)
    assert not {*names} & {*Parameters._fields}
    assert {spec.name: spec.default for spec in OWN_SPECS} == {
        'publish_forces': False, 'diagnostics_frequency_hz': 0.0}
