import OverlayHost

extension RuleCatalog {
    /// Rules about how an overlay calls its host.
    static let calls: [ConformanceRule] = [
        createServices, pureMethods, serviceThread, serviceOutside, transportState, serviceArguments,
        serviceWithheld, serviceSize,
    ]

    private static func rule(
        _ id: String, _ clause: String, in place: String, trial: String,
        shownBy scenarios: Set<Scenario> = [.course, .states], advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            id, clause, in: place, trial: trial, advice: advice, shownBy: scenarios, needs: .instance)
    }

    static let createServices = rule(
        "services/create", "create may call only get_service, log and prefs.",
        in: "overlay_methods.h, ovl_entry", trial: "Calls of services in create are detected.",
        advice: "Move it to initialize, or to the first method that needs it.")

    static let pureMethods = rule(
        "services/pure", "Methods marked pure do not reach the device.",
        in: "overlay_methods.h, beginning",
        trial:
            "Calls of the transport in initialize, shutdown, post_yank_cleanup and the two booklist "
            + "methods are refused and detected.",
        advice: "Use only the method's arguments and what other methods have stored.")

    static let serviceThread = rule(
        "services/thread", "A function tagged [device] is called on the thread of the running method.",
        in: "overlay_services.h, Threads", trial: "The thread of each service call is checked.",
        advice: "Only log, prefs, is_cancelled and time_left are for other threads.")

    static let serviceOutside = rule(
        "services/outside", "A function tagged [device] is called only while a method runs.",
        in: "overlay_services.h, Threads", trial: "Calls of services in destroy are detected.",
        advice: "Do it in shutdown.")

    static let transportState = rule(
        "services/state", "The transport is used only when there is a device: in {initialized, attached}.",
        in: "overlay_services.h, States", trial: "is_usb_connected is called after eject.",
        shownBy: [.states],
        advice: "Remember that eject has succeeded.")

    static let serviceArguments = rule(
        "services/arguments", "The arguments of a service call match its documentation.",
        in: "overlay_services.h and overlay_content.h", trial: "The arguments of every call are checked.",
        advice: "Compare the call with the header.")

    static let serviceWithheld = rule(
        "services/withheld", "get_service gives null for a service that the host does not have.",
        in: "overlay_services.h, ovl_host",
        trial: "The overlay runs once without each service that it asks for.",
        shownBy: [.withholding],
        advice: "Check every table for null, and return OVL_NOT_SUPPORTED if you need the service.")

    static let serviceSize = rule(
        "services/size",
        "An overlay uses only the part of a service's table that it requested or that "
            + "struct_size covers.",
        in: "overlay_services.h, beginning",
        trial: "Tables end at the size passed to get_service.",
        shownBy: [.withholding],
        advice:
            "Pass get_service the size up to the last function that you call, or check struct_size "
            + "before you call it."
    )
}
