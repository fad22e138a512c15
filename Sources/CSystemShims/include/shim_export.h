// What makes a function of a header visible to other libraries.
#pragma once

#define SHIM_EXPORT __attribute__((visibility("default")))
