import OverlayHost

extension RuleCatalog {
    /// Statuses and errors.
    static let errors: [ConformanceRule] = [
        errorReported, errorMessage, errorOne, errorOnlyOnFailure, errorStatus, statusKnown, statusStopped,
    ]

    private static func rule(
        _ id: String, _ clause: String, in place: String, advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            id, clause, in: place,
            trial:
                "Every return of every method is compared with the errors it put, on a device that is well and with "
                + "books that do not exist.",
            advice: advice, shownBy: [.course, .states], needs: .instance)
    }

    static let errorReported = rule(
        "errors/reported", "A method that returns another status than OVL_OK first puts one error.",
        in: "abi.md, Errors", advice: "Put an ovl_error with a message into the method's error sink.")

    static let errorMessage = rule(
        "errors/message", "An error has a message: one sentence for a person.",
        in: "overlay_types.h, ovl_error", advice: "Say what happened; the person sees it.")

    static let errorOne = rule(
        "errors/one", "A failing call reports at most one error.", in: "overlay_types.h, ovl_error",
        advice: "Put the error where the method returns, not where it happened.")

    static let errorOnlyOnFailure = rule(
        "errors/only-on-failure", "An error is put only if the call fails.",
        in: "overlay_types.h, ovl_error_sink", advice: "Log what went well in the end.")

    static let errorStatus = rule(
        "errors/status", "The status in the error is the one the call returns.",
        in: "overlay_types.h, ovl_error", advice: "Return error.status.")

    static let statusKnown = rule(
        "status/known", "Statuses are those of the contract.", in: "overlay_types.h, ovl_status",
        advice: "Use OVL_FAILED with a message, and keep your own number in native_code.")

    static let statusStopped = rule(
        "status/stopped", "OVL_STOPPED is returned only if a sink has asked to stop.",
        in: "overlay_types.h, OVL_STOPPED", advice: "Return OVL_CANCELLED if is_cancelled said so.")
}
