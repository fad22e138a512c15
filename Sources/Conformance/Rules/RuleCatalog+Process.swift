import HostContract

extension RuleCatalog {
    /// Rules about the process, which an overlay may share with others.
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

    private static let watched = "The overlay's worker process is watched throughout."

    static let processCrash = rule(
        "process/crash", "Errors, exceptions and signals do not cross the boundary.", in: "abi.md, Errors",
        trial: watched, advice: "Run the command with --in-process in a debugger.")

    static let processExit = rule(
        "process/exit", "An overlay does not end its process.", in: "abi.md, Errors", trial: watched,
        advice: "Return a status and an error instead.")

    static let processReturns = rule(
        "process/returns", "Every method returns; the host cannot wait forever.",
        in: "overlay_services.h, ovl_cancel_service",
        trial: "A method that does not call its host within --timeout is stopped.",
        advice: "Wait with the cancel service, and check it in long loops.")

    static let processMemory = rule(
        "process/memory", "An overlay stays within the memory limit of a worker.",
        in: "overlays/isolation, limits", trial: watched,
        advice: "Read files in ranges, and pass books to the sink one by one.")

    static let processOutput = rule(
        "process/output", "An overlay never writes to its standard output.",
        in: "overlay_services.h, ovl_log_service", trial: "What the worker writes is captured.",
        advice: "Use the log service, and check what your libraries print.")

    static let processConnection = rule(
        "process/connection", "An overlay does not use descriptors that it did not open.",
        in: "isolation.md", trial: watched,
        advice: "Look for a descriptor that is closed twice or written to after closing.")

    static let timeCleanup = ConformanceRule(
        "time/cleanup", "post_yank_cleanup has one second.", in: "overlay_methods.h, post_yank_cleanup",
        trial: "It is called after eject and after the cable was pulled, and stopped after one second.",
        advice: "Leave slow work to the next method.", shownBy: [.course, .states],
        needs: .methods([.postYankCleanup]))
}
