/* A table that is taken for as large as today's. */
#define TRANSPORT_SIZE 24
#include "../Base.h"
