/* Has an option whose key does not begin with the overlay's id. */
#define BEFORE_ALL static const ovl_option foreign[] = {{.struct_size = sizeof(ovl_option), .key = TEXT("shout"), .type = OVL_OPTION_BOOL}};
#define DESCRIPTOR_FIELDS .options = {foreign, 1, sizeof foreign[0]}
#include "../Base.h"
