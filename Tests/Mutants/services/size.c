/* Asks for a smaller table than it uses. */
#define TRANSPORT_SIZE 24
#include "../Base.h"
