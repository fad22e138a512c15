import OverlayHost

extension RuleCatalog {
    /// How an overlay calls its host.
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
        "services/create", "create may call get_service, log and prefs, no other service.",
        in: "overlay_methods.h, ovl_entry", trial: "Calls of services within create are noticed.",
        advice: "Move it to initialize, or to the first method that needs it.")

    static let pureMethods = rule(
        "services/pure", "Methods marked pure do not reach the device.",
        in: "overlay_methods.h, beginning",
        trial:
            "Calls of the transport within initialize, shutdown, post_yank_cleanup and the two methods about "
            + "booklists are refused and noticed.",
        advice: "Compute from what the method was given, and from what other methods have kept.")

    static let serviceThread = rule(
        "services/thread", "A function tagged [device] is called on the thread of the running method.",
        in: "overlay_services.h, Threads", trial: "Each call of a service is asked for its thread.",
        advice: "Only log, prefs, is_cancelled and time_left are for other threads.")

    static let serviceOutside = rule(
        "services/outside", "A function tagged [device] is called only while a method runs.",
        in: "overlay_services.h, Threads", trial: "Calls of services within destroy are noticed.",
        advice: "Do it in shutdown.")

    static let transportState = rule(
        "services/state", "The transport is used only where there is a device: in {initialized, attached}.",
        in: "overlay_services.h, States", trial: "is_usb_connected is called after eject.",
        shownBy: [.states],
        advice: "Remember that eject has succeeded.")

    static let serviceArguments = rule(
        "services/arguments", "What a service is given is as its function documents.",
        in: "overlay_services.h and overlay_content.h", trial: "The arguments of every call are looked at.",
        advice: "Compare the call with the header.")

    static let serviceWithheld = rule(
        "services/withheld", "get_service gives null for a service that the host does not have.",
        in: "overlay_services.h, ovl_host",
        trial: "The overlay runs once without each service that it asks for.",
        shownBy: [.withholding],
        advice: "Check every table for null, and answer OVL_NOT_SUPPORTED where you cannot do without.")

    static let serviceSize = rule(
        "services/size", "An overlay uses no more of a service's table than it has asked for or found there.",
        in: "overlay_services.h, beginning",
        trial: "Tables end where the size ends that get_service was asked for.",
        shownBy: [.withholding],
        advice:
            "Ask get_service for the size up to the last function that you call, or look at struct_size before you call it."
    )
}
