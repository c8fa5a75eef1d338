"""ROS parameters of the node `potfield_bot` in addition to the controller's constants."""

from __future__ import annotations

from sbot_common import controller_inputs
from sbot_common.params import Spec

OWN_SPECS: tuple[Spec, ...] = (
    Spec('publish_forces', False, '', 'Publish the forces as arrows on potential_field_forces.'),
    Spec('diagnostics_frequency_hz', 0.0, 'Hz', 'Lines of diagnostics per second in the log; '
         '0: none.', '001 section 17', minimum=0.0),
)
NODE_SPECS = (*controller_inputs.SPECS, *OWN_SPECS)
