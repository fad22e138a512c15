extension RuleCatalog {
    /// The process that an overlay shares with others, or has for itself.
    static let process: [ConformanceRule] = [
        processCrash, processExit, processReturns, processMemory, processOutput, processConnection,
        timeCleanup,
    ]

    private static func rule(
        _ id: String, _ clause: String, in place: String, trial: String, advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            id, clause, in: place, trial: trial, advice: advice,
            shownBy: [.course, .states, .stopping, .withholding, .repetition], needs: .instance)
    }

    private static let watched = "The worker process of the overlay is watched, whatever it does."

    static let processCrash = rule(
        "process/crash", "Errors, exceptions and signals do not cross the boundary.", in: "abi.md, Errors",
        trial: watched, advice: "Run the verb with --in-process under a debugger.")

    static let processExit = rule(
        "process/exit", "An overlay does not end its process.", in: "abi.md, Errors", trial: watched,
        advice: "Return a status and an error instead.")

    static let processReturns = rule(
        "process/returns", "A method returns; a host cannot wait for ever.",
        in: "overlay_services.h, ovl_cancel_service",
        trial: "A method that asks its host for nothing for the time of --timeout is ended.",
        advice: "Wait by the cancel service, and ask it in long loops.")

    static let processMemory = rule(
        "process/memory", "An overlay gets along with the memory that a worker may have.",
        in: "overlays/isolation, limits", trial: watched,
        advice: "Read files by ranges, and hand books to the sink one by one.")

    static let processOutput = rule(
        "process/output", "An overlay never writes to its standard output.",
        in: "overlay_services.h, ovl_log_service", trial: "What the worker writes is captured.",
        advice: "Use the log service; check what libraries print.")

    static let processConnection = rule(
        "process/connection", "An overlay leaves descriptors alone that it did not open.",
        in: "decision P25: isolation is a transport", trial: watched,
        advice: "Look for a descriptor that is closed twice, or written to after it was closed.")

    static let timeCleanup = ConformanceRule(
        "time/cleanup", "post_yank_cleanup has one second.", in: "overlay_methods.h, post_yank_cleanup",
        trial: "It is called after eject and after the cable was pulled, and ended after a second.",
        advice: "Leave slow work to the next method.", shownBy: [.course, .states],
        needs: .methods([.postYankCleanup]))
}
