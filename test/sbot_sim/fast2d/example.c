/* Plays the example of document 004 section 7.4.5 through a dlopened library, and some misuse.
 * Prints what the test compares: sensor readings and transforms. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <plugins/fast2d/fast2d.h>

#define LOAD(name) __typeof__(&name) p_##name = (__typeof__(&name))dlsym(library, #name); \
    if (!p_##name) { fprintf(stderr, "no %s\n", #name); return 2; }

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) { fprintf(stderr, "%s\n", dlerror()); return 2; }
    LOAD(webots_fast2d_init) LOAD(webots_fast2d_cleanup) LOAD(webots_fast2d_step)
    LOAD(webots_fast2d_create_robot) LOAD(webots_fast2d_create_solid)
    LOAD(webots_fast2d_add_object) LOAD(webots_fast2d_create_irsensor)
    LOAD(webots_fast2d_sensor_get_activation) LOAD(webots_fast2d_object_set_bounding_rectangle)
    LOAD(webots_fast2d_object_set_bounding_radius) LOAD(webots_fast2d_object_set_mass)
    LOAD(webots_fast2d_object_set_position) LOAD(webots_fast2d_object_set_angle)
    LOAD(webots_fast2d_robot_set_speed) LOAD(webots_fast2d_robot_set_angular_speed)
    LOAD(webots_fast2d_object_get_transform) LOAD(webots_fast2d_object_set_bounding_polygon)
    LOAD(webots_create_irsensor) LOAD(webots_fast2d_robot_add_sensor)
    LOAD(webots_fast2d_last_error)

    const double x[4] = {-0.1, 0.1, 0.1, -0.1}, y[4] = {-0.1, -0.1, 0.1, 0.1}, one[1] = {1.0};
    double px, py, angle;

    p_webots_fast2d_init();
    SolidRef solid = p_webots_fast2d_create_solid();
    if (!solid) return 2;
    p_webots_fast2d_object_set_bounding_polygon((ObjectRef)solid, x, y);
    p_webots_fast2d_object_set_position((ObjectRef)solid, 0.177532, 0.209856);
    p_webots_fast2d_object_set_angle((ObjectRef)solid, -0.785398);
    p_webots_fast2d_add_object((ObjectRef)solid);

    RobotRef robot = p_webots_fast2d_create_robot();
    p_webots_fast2d_object_set_bounding_radius((ObjectRef)robot, 0.0285);
    p_webots_fast2d_object_set_position((ObjectRef)robot, -0.150197, 0.01018);
    p_webots_fast2d_object_set_angle((ObjectRef)robot, 4.85101);
    p_webots_fast2d_add_object((ObjectRef)robot);
    SensorRef sensor = p_webots_create_irsensor(robot, 0.0, 0.0, 0.0, 0.05, 0.5, 1, one);
    p_webots_fast2d_robot_add_sensor(robot, sensor, -0.0245, -0.012, -3.0543);

    printf("%.17g\n", p_webots_fast2d_sensor_get_activation(sensor));
    p_webots_fast2d_robot_set_speed(robot, 0.1, 0.05);
    p_webots_fast2d_robot_set_angular_speed(robot, 0.5);
    for (int k = 0; k < 60; k++) {
        p_webots_fast2d_step(0.064);
        p_webots_fast2d_object_get_transform((ObjectRef)robot, &px, &py, &angle);
        printf("%.17g %.17g %.17g %.17g\n", px, py, angle,
               p_webots_fast2d_sensor_get_activation(sensor));
    }
    if (p_webots_fast2d_last_error() != NULL) return 3;
    p_webots_fast2d_object_get_transform((ObjectRef)solid, &px, NULL, &angle);
    if (px != 0.177532 || angle != -0.785398) return 10;

    /* Calls for an object do not reach Python, where a million of them take seconds. */
    double sum = 0.0;
    clock_t begin = clock();
    for (int k = 0; k < 1000000; k++) {
        p_webots_fast2d_robot_set_speed(robot, 0.1, 0.05);
        sum += p_webots_fast2d_sensor_get_activation(sensor);
    }
    if (!(sum > 0.0) || (double)(clock() - begin) / CLOCKS_PER_SEC > 0.5) return 11;

    p_webots_fast2d_robot_set_speed(robot, NAN, 0.0);
    if (!p_webots_fast2d_last_error() || !strstr(p_webots_fast2d_last_error(), "dx")) return 12;
    p_webots_fast2d_robot_set_angular_speed((RobotRef)solid, 1.0);
    if (!p_webots_fast2d_last_error()) return 13;
    p_webots_fast2d_robot_add_sensor(robot, sensor, 0.0, 0.0, 0.0);
    if (!strstr(p_webots_fast2d_last_error(), "before the first step")) return 14;
    p_webots_fast2d_object_get_transform((ObjectRef)robot, &px, &py, &angle);
    if (p_webots_fast2d_last_error() != NULL) return 15;

    p_webots_fast2d_step(-1.0);
    if (!p_webots_fast2d_last_error() || !strstr(p_webots_fast2d_last_error(), "dt")) return 4;
    p_webots_fast2d_cleanup();
    p_webots_fast2d_init();
    /* A reference of the world before. */
    p_webots_fast2d_object_set_mass((ObjectRef)robot, 1.0);
    if (p_webots_fast2d_last_error() == NULL) return 5;
    double lost = p_webots_fast2d_sensor_get_activation(sensor);
    if (lost == lost || p_webots_fast2d_last_error() == NULL) return 6;
    if (p_webots_fast2d_create_irsensor(robot, 0, 0, 0, 1, 0, 1, one) != NULL) return 7;
    RobotRef before = robot;
    robot = p_webots_fast2d_create_robot();
    if (!robot || robot == before) return 8;
    /* A count far beyond the array: refused before the array is read. */
    if (p_webots_fast2d_create_irsensor(robot, 0, 0, 0, 1, 0, 1000000000, one) != NULL) return 16;
    if (!strstr(p_webots_fast2d_last_error(), "num_rays: got 1000000000")) return 17;
    if (p_webots_fast2d_create_irsensor(robot, 0, 0, 0, 1, 0, -1, one) != NULL) return 18;
    p_webots_fast2d_cleanup();
    if (p_webots_fast2d_last_error() != NULL) return 9;
    puts("done");
    return 0;
}
