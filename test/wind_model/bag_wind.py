"""Stands in for the node `wind_model`: answers each /clock with what a bag holds for its stamp."""

import os

from rclpy.node import Node

from sbot.bag.reader import Bag
from sbot_common import ros, topics
from sbot_common.wire.messages import read_clock

ANSWERS = (topics.WIND_VELOCITY, topics.WIND_FORCE)


class BagWind(Node):
    def __init__(self):
        super().__init__('wind_model', automatically_declare_parameters_from_overrides=True)
        wanted = [topic.name for topic in (*ANSWERS, topics.WIND_FIELD)]
        recorded = list(Bag(os.environ['WIND_BAG']).messages(wanted))
        self.answers = {(m.name, m.stamp_ns): m.payload for m in recorded}
        field = ros.advertise(self, topics.WIND_FIELD, topics.WIND_FIELD.name)
        self.publishers_of = {t.name: ros.advertise(self, t, t.name) for t in ANSWERS}
        field.publish(next(m.payload for m in recorded if m.name == topics.WIND_FIELD.name))
        ros.subscribe(self, topics.CLOCK, topics.CLOCK.name, self.answer)

    def answer(self, raw):
        stamp = read_clock(raw)
        for name, publisher in self.publishers_of.items():
            publisher.publish(self.answers[name, stamp])


def main(argv=None):
    return ros.run(BagWind, argv)
