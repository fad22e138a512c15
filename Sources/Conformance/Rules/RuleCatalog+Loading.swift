extension RuleCatalog {
    /// Rules about the file, before its code runs and while it is loaded.
    static let loading: [ConformanceRule] = [
        library, entry, oneSymbol, symbols, libraries, major, loadCrash, loadReturns, entryComplete,
        tableSizes,
        windowsSlots,
    ]

    static let library = ConformanceRule(
        "loading/library", "An overlay is a shared library for the machine it runs on.",
        in: "overlay_methods.h, beginning",
        trial: "The file's ELF header and dynamic section are read; none of its code runs.",
        advice: "Link with -shared for this machine, and copy the complete file.", shownBy: [.loading],
        needs: .file)

    static let entry = ConformanceRule(
        "loading/entry", "An overlay exports the function ovl_entry_v1.", in: "abi.md, Rules: One symbol",
        trial: "The symbols that the file exports are read; then the dynamic linker is asked.",
        advice: "Mark the function with OVL_EXPORT, and declare it extern \"C\" in C++.", shownBy: [.loading],
        needs: .file)

    static let oneSymbol = ConformanceRule(
        "loading/one-symbol", "An overlay exports ovl_entry_v1 and nothing else.",
        in: "abi.md, Rules: One symbol", trial: "The symbols that the file exports are read.",
        advice: "Compile with -fvisibility=hidden, and link with a version script that names only this "
            + "symbol.",
        shownBy: [.loading], needs: .file)

    static let symbols = ConformanceRule(
        "loading/symbols", "Every symbol that an overlay needs exists when it is loaded.",
        in: "abi.md, Rules: Loading", trial: "It is loaded with all symbols bound at once.",
        advice: "Link with -z defs to find missing symbols at build time.", shownBy: [.loading],
        needs: .file)

    static let libraries = ConformanceRule(
        "loading/libraries", "Every library that an overlay needs can be found.",
        in: "abi.md, Rules: Loading",
        trial: "It is loaded where only the system's libraries are available.",
        advice: "Link the library in, or ship it in ../runtime and link with -rpath='$ORIGIN/../runtime'.",
        shownBy: [.loading], needs: .file)

    static let major = ConformanceRule(
        "loading/major", "An overlay speaks the major version of its entry symbol, which is the host's.",
        in: "abi.md, Versions", trial: "The numbers in the symbol and in the entry record are compared.",
        advice: "Set abi_major to OVL_ABI_MAJOR, and build with the header of this version.",
        shownBy: [.loading], needs: .file)

    static let loadCrash = ConformanceRule(
        "loading/crash", "Only create and the methods have side effects; loading always works.",
        in: "overlay_methods.h, beginning",
        trial: "It is loaded and asked for its entry in a worker process.",
        advice: "Move what constructors of the library do into create, which may fail.", shownBy: [.loading],
        needs: .file)

    static let loadReturns = ConformanceRule(
        "loading/returns", "Loading and ovl_entry_v1 return quickly.", in: "overlay_methods.h, ovl_entry_v1",
        trial: "It is loaded in a worker process, with a time limit.",
        advice: "Move what constructors of the library do into create or initialize.", shownBy: [.loading],
        needs: .file)

    static let entryComplete = ConformanceRule(
        "loading/entry-complete",
        "ovl_entry_v1 returns the entry record, which has a descriptor, methods, create and destroy.",
        in: "overlay_methods.h, ovl_entry",
        trial: "The function is called, and the pointers of its record are checked.",
        advice: "Return the address of a static record, and set all four.", shownBy: [.loading], needs: .file)

    static let tableSizes = ConformanceRule(
        "loading/table-sizes", "Tables and records begin with their size, as their writer knows it.",
        in: "abi.md, Rules: Size first",
        trial: "The sizes of entry, descriptor, methods and options are compared with those of version 1.0.",
        advice: "Set struct_size to sizeof the record.", shownBy: [.loading], needs: .file)

    static let windowsSlots = ConformanceRule(
        "loading/windows-slots", "The slots for Windows are null elsewhere.",
        in: "overlay_methods.h, is_usb_connected_windows", trial: "The two slots are checked.",
        advice: "Leave is_usb_connected_windows and can_handle_windows null.", shownBy: [.loading],
        needs: .tables)
}
