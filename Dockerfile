# A ROS 2 workspace with the package built: docker build -t potential_field_bot .
ARG ROS_DISTRO=jazzy
FROM ros:${ROS_DISTRO}-ros-base
SHELL ["/bin/bash", "-c"]
WORKDIR /ws
COPY . src/potential_field_bot
# rviz2 is left out: an image without a display has no use for it.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends python3-venv \
 && rosdep update --rosdistro "$ROS_DISTRO" \
 && rosdep install --yes --from-paths src --ignore-src --skip-keys 'rviz2 python3-rosbags-pip mcap-ros2-support' \
 && rm -rf /var/lib/apt/lists/*
# Ubuntu's numba is too old: Python packages that rosdep left out come from PyPI.
# ROS 2's messages are compiled for NumPy 1.
RUN python3 -m venv --system-site-packages /opt/venv \
 && /opt/venv/bin/pip install --no-cache-dir 'numpy<2' ./src/potential_field_bot
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONPATH=/opt/venv/lib/python3.12/site-packages
RUN source "/opt/ros/$ROS_DISTRO/setup.bash" && colcon build \
 && sed --in-place 's|^exec |source /ws/install/setup.bash\nexec |' /ros_entrypoint.sh
# Runs write no files of root into folders of the host, and the first one need not compile.
USER ubuntu
WORKDIR /home/ubuntu
RUN source /ws/install/setup.bash && sbot run leader_follower --duration 1 --quiet
CMD ["bash"]
