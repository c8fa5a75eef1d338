/* Fast2D in C: the functions of document 004, section 7.4.3, two more names that its
 * example uses for them, and one that section 7.4.2 has. Metres, radians, seconds, kilograms; angles counter-clockwise from x.
 *
 * A call that cannot be carried out (an unknown reference, a bad number, a call out of order)
 * changes nothing, says so in a line on the standard error stream, and returns NULL, NaN or
 * nothing. webots_fast2d_last_error() returns that line.
 *
 * Not for several threads at once.
 */
#ifndef PLUGINS_FAST2D_FAST2D_H
#define PLUGINS_FAST2D_FAST2D_H

#ifdef __cplusplus
extern "C" {
#endif

/* Types that hosts only hand back. Robots and solids are objects: cast them to ObjectRef. */
/* begin */
typedef struct webots_fast2d_object *ObjectRef;
typedef struct webots_fast2d_solid *SolidRef;
typedef struct webots_fast2d_robot *RobotRef;
typedef struct webots_fast2d_sensor *SensorRef;

void webots_fast2d_init(void);
void webots_fast2d_cleanup(void);
void webots_fast2d_step(double dt);
RobotRef webots_fast2d_create_robot(void);
SolidRef webots_fast2d_create_solid(void);
void webots_fast2d_add_object(ObjectRef object);
SensorRef webots_fast2d_create_irsensor(RobotRef robot, double xpos, double ypos, double angle,
                                        double range, double aperture, int numRays,
                                        const double rayWeights[]);
double webots_fast2d_sensor_get_activation(SensorRef sensor);
void webots_fast2d_object_set_bounding_rectangle(ObjectRef object, const double x[4],
                                                 const double y[4]);
void webots_fast2d_object_set_bounding_radius(ObjectRef object, double radius);
void webots_fast2d_object_set_mass(ObjectRef object, double mass);
void webots_fast2d_object_set_position(ObjectRef object, double xpos, double ypos);
void webots_fast2d_object_set_angle(ObjectRef object, double angle);
void webots_fast2d_robot_set_speed(RobotRef robot, double dx, double dy);
void webots_fast2d_robot_set_angular_speed(RobotRef object, double da);
void webots_fast2d_object_get_transform(ObjectRef object, double *xpos, double *ypos,
                                        double *angle);

/* Other names of set_bounding_rectangle and create_irsensor. */
void webots_fast2d_object_set_bounding_polygon(ObjectRef object, const double x[4],
                                               const double y[4]);
SensorRef webots_create_irsensor(RobotRef robot, double xpos, double ypos, double angle,
                                 double range, double aperture, int numRays,
                                 const double rayWeights[]);

/* As section 7.4.2 has it: puts a sensor that webots_fast2d_create_irsensor() has returned
 * elsewhere, on that robot or another one; until the first step. */
void webots_fast2d_robot_add_sensor(RobotRef robotRef, SensorRef sensorRef, double x, double y,
                                    double angle);

/* Not in the document: why the last call failed, or NULL if it did not. */
const char *webots_fast2d_last_error(void);
/* end */

#ifdef __cplusplus
}
#endif

#endif
