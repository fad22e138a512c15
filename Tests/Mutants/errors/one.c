/* The error where it happened, and again at the end. */
#define AFTER_ERROR error->put(error->ctx, &record);
#include "../Base.h"
