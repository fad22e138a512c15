/* Starts the Python interpreter in the overlay, and has overlaykit.py make the tables of the contract. The Python files become
 * part of the library, because a worker may not read other files. You need not change this file. */
#include <Python.h>

#include <dlfcn.h>
#include <pthread.h>

#include "overlay_signatures.h"

/* Embeds a file in the library, followed by a NUL. */
#define EMBED(name, file)                                                                                              \
    __asm__(".pushsection .rodata\n.global " #name "\n.hidden " #name "\n" #name ":\n"                                    \
            ".incbin \"" file "\"\n.byte 0\n.popsection");                                                               \
    extern const char name[]

EMBED(constants_source, "build/constants.py");
EMBED(values_source, "bridge/overlayvalues.py");
EMBED(kit_source, "bridge/overlaykit.py");
EMBED(overlay_source, "satchel.py");

static const ovl_entry *entry;

static int start_interpreter(void) {
    /* Extension modules of the standard library look for the interpreter among the global symbols. */
    dlopen(LIBPYTHON, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.write_bytecode = 0;
    PyStatus status = PyConfig_SetString(&config, &config.home, PYTHON_HOME);
    if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) fprintf(stderr, "Python does not start: %s\n", status.err_msg);
    return !PyStatus_Exception(status);
}

/* Runs a file as a module; NULL, with an error set, if that fails. */
static PyObject *import(const char *name, const char *file, const char *source) {
    PyObject *code = Py_CompileString(source, file, Py_file_input);
    PyObject *module = code ? PyImport_ExecCodeModule(name, code) : NULL;
    Py_XDECREF(code);
    return module;
}

static void load(void) {
    /* In a debugger's process another overlay may have started Python already. */
    if (!Py_IsInitialized()) {
        if (!start_interpreter()) return;
        PyEval_SaveThread();
    }
    PyGILState_STATE state = PyGILState_Ensure();
    uint32_t count;
    const unsigned long long signatures = (uintptr_t)ovl_signatures_v1(&count);
    PyObject *kit = NULL, *overlay = NULL, *address = NULL;
    if (import("overlay_constants", "constants.py", constants_source) && import("overlayvalues", "overlayvalues.py", values_source))
        kit = import("overlaykit", "overlaykit.py", kit_source);
    if (kit) overlay = import("overlay", "satchel.py", overlay_source);
    if (overlay) address = PyObject_CallMethod(kit, "entry", "KIO", signatures, count, overlay);
    entry = address ? (const ovl_entry *)PyLong_AsVoidPtr(address) : NULL;
    if (!entry) PyErr_Print();
    PyGILState_Release(state);
}

const ovl_entry *ovl_entry_v1(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return entry;
}
