import OverlayHost

extension RuleCatalog {
    /// Rules about statuses and errors.
    static let errors: [ConformanceRule] = [
        errorReported, errorMessage, errorOne, errorOnlyOnFailure, errorStatus, statusKnown, statusStopped,
    ]

    private static func rule(
        _ id: String, _ clause: String, in place: String, advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            id, clause, in: place,
            trial:
                "Each method's return value is compared with the errors it put, on a healthy device and "
                + "with books that do not exist.",
            advice: advice, shownBy: [.course, .states], needs: .instance)
    }

    static let errorReported = rule(
        "errors/reported", "A method that returns a status other than OVL_OK first puts one error.",
        in: "abi.md, Errors", advice: "Put an ovl_error with a message into the method's error sink.")

    static let errorMessage = rule(
        "errors/message", "An error has a message: one sentence for the user.",
        in: "overlay_types.h, ovl_error", advice: "Say what happened. The user sees the message.")

    static let errorOne = rule(
        "errors/one", "A failing call reports at most one error.", in: "overlay_types.h, ovl_error",
        advice: "Put the error where the method returns, not where it occurred.")

    static let errorOnlyOnFailure = rule(
        "errors/only-on-failure", "An error is put only if the call fails.",
        in: "overlay_types.h, ovl_error_sink",
        advice: "If the call succeeds in the end, log the problem "
            + "instead.")

    static let errorStatus = rule(
        "errors/status", "The status in the error is the one the call returns.",
        in: "overlay_types.h, ovl_error", advice: "Return error.status.")

    static let statusKnown = rule(
        "status/known", "Every status is defined by the contract.", in: "overlay_types.h, ovl_status",
        advice: "Use OVL_FAILED with a message, and keep your own number in native_code.")

    static let statusStopped = rule(
        "status/stopped", "OVL_STOPPED is returned only if a sink has asked to stop.",
        in: "overlay_types.h, OVL_STOPPED", advice: "Return OVL_CANCELLED if is_cancelled said so.")
}
