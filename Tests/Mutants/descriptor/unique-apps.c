/* Names its app twice. */
#define BEFORE_ALL static const ovl_text twice[] = {TEXT("org.example.base"), TEXT("org.example.base")};
#define DESCRIPTOR_FIELDS .app_ids = {twice, 2}
#include "../Base.h"
