extension RuleCatalog {
    /// Rules about an overlay's description of itself.
    static let descriptor: [ConformanceRule] = [
        descriptorRequired, descriptorID, descriptorVersion, descriptorApps, descriptorFormats,
        descriptorUTF8, descriptorLimits, descriptorControl, descriptorLists, descriptorOptions,
        descriptorSettable, descriptorFetch, descriptorTimeLimits, descriptorLimitedFunctions,
        descriptorUniqueApps,
    ]

    private static func rule(
        _ id: String, _ clause: String, in place: String = "overlay_methods.h, ovl_descriptor",
        advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            "descriptor/" + id, clause, in: place, trial: "The descriptor is read.", advice: advice,
            shownBy: [.loading], needs: .tables)
    }

    static let descriptorRequired = rule(
        "required", "A descriptor has id, name, version and app_name, and no list element is missing.",
        in: "abi.md, beginning", advice: "Set the text that is missing.")

    static let descriptorID = rule(
        "id", "id is [a-z0-9][a-z0-9_-]*, at most 64 bytes.", advice: "Choose another id.")

    static let descriptorVersion = rule(
        "version", "version is a semantic version.", advice: "Use three numbers, such as 1.0.0.")

    static let descriptorApps = rule(
        "app-ids",
        "app_ids contains the bundle ids that the overlay serves: at least one, unless it has the trait "
            + "OVL_TRAIT_ANY_FILE_SHARING_APP.",
        advice: "Use the bundle ids that 'overlayhost apps' shows.")

    static let descriptorFormats = rule(
        "formats", "formats contains file extensions in lower case, without a dot.",
        advice: "Write epub, not .EPUB.")

    static let descriptorUTF8 = rule(
        "utf8", "Texts are UTF-8.", in: "abi.md, Rules: UTF-8", advice: "Save the source file as UTF-8.")

    static let descriptorLimits = rule(
        "limits", "Texts and lists of a descriptor stay within the host's limits.",
        in: "abi.md, Rules: Limits", advice: "Shorten the text.")

    static let descriptorControl = rule(
        "control", "Texts of a descriptor are shown on terminals and contain no control characters.",
        in: "abi.md, Rules: UTF-8", advice: "Remove them. help may contain line breaks and tabs.")

    static let descriptorLists = rule(
        "lists", "A list with a count has that many elements.", in: "overlay_types.h, ovl_texts",
        advice: "Set items, or leave count 0.")

    static let descriptorOptions = rule(
        "options",
        "An option has a type, a key that begins with the overlay's id and _, and a range, allowed texts "
            + "and a default that fit together.",
        in: "overlay_methods.h, ovl_option", advice: "Correct the option.")

    static let descriptorSettable = rule(
        "settable", "settable_metadata contains only words that the contract defines.",
        advice: "Compare them with the list in overlay_methods.h.")

    static let descriptorTimeLimits = rule(
        "time-limits", "time_limits names each function at most once.",
        in: "overlay_methods.h, ovl_descriptor", advice: "Combine the two records.")

    static let descriptorLimitedFunctions = rule(
        "limited-functions", "time_limits names functions of ovl_methods or ovl_entry.",
        in: "overlay_methods.h, ovl_time_limit",
        advice: "Correct the name; a limit with another name has no effect.")

    static let descriptorUniqueApps = rule(
        "unique-apps", "app_ids contains each bundle id once.", advice: "Remove the repeated bundle id.")

    static let descriptorFetch = rule(
        "fetch", "An overlay with the trait OVL_TRAIT_CAN_FETCH has a method to fetch books.",
        in: "overlay_methods.h, OVL_TRAIT_CAN_FETCH",
        advice: "Implement get_file or prepare_addable_books, or leave the trait out.")
}
