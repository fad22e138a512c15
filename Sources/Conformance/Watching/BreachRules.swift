import OverlayCalls
import OverlayHost

extension ConformanceRule {
    /// The rule for a breach that the host has noticed in a method or service function.
    static func broken(_ breach: ContractBreach, in place: String) -> ConformanceRule {
        typealias Rules = RuleCatalog
        return switch breach.kind {
        case .nullPointer: place.contains(".") ? Rules.serviceArguments : Rules.nullRecord
        case .structSize: Rules.structSize
        case .stride, .carrier: Rules.impossible
        case .notUTF8: Rules.utf8
        case .limit: Rules.limits
        case .view: Rules.views
        case .bookPath: Rules.bookPath
        case .bookTwice: Rules.bookUnique
        case .bookValue: Rules.bookValues
        case .rowIndex: Rules.rowIndex
        case .rowTwice: Rules.rowOnce
        case .rowOutcome: Rules.rowOutcome
        case .rowPath: Rules.rowPath
        case .rowFile: Rules.rowFile
        case .rowMissing: Rules.rowComplete
        case .edit: Rules.editValid
        case .resultTwice: Rules.resultOne
        case .resultValue: Rules.resultValues
        case .resultMissing: Rules.resultPresent
        case .chunk: Rules.bytesGaps
        case .total: Rules.bytesTotal
        case .afterStop: Rules.sinkStop
        case .errorTwice: Rules.errorOne
        case .errorOnSuccess: Rules.errorOnlyOnFailure
        case .errorStatus: Rules.errorStatus
        case .stoppedUnasked: Rules.statusStopped
        case .otherThread: place.hasSuffix("_sink.put") ? Rules.sinkThread : Rules.serviceThread
        case .sinkAfterReturn: Rules.sinkKept
        case .outsideMethod: Rules.serviceOutside
        case .withinCreate: Rules.createServices
        case .withinPure: Rules.pureMethods
        case .wrongState: Rules.transportState
        case .outsideSync: Rules.sourceOutside
        case .dryRun: Rules.sourceDryRun
        case .planRow: Rules.sourcePlan
        case .planLate: Rules.sourceOrder
        case .argument, .other: Rules.serviceArguments
        case .output: Rules.processOutput
        }
    }

    /// The rule for the end of a worker.
    static func ended(_ end: WorkerEnd?, in method: String?, memory: UInt64) -> (
        rule: ConformanceRule, outcome: RuleResult.Outcome
    ) {
        switch end {
        case .exit?: (RuleCatalog.processExit, .crash)
        case .signal(_, let largest)?:
            (largest > memory / 2 ? RuleCatalog.processMemory : RuleCatalog.processCrash, .crash)
        case .killed(.silence, _)?, .killed(.deadline, _)?:
            (
                method == OverlayMethod.postYankCleanup.rawValue
                    ? RuleCatalog.timeCleanup : RuleCatalog.processReturns, .timeout
            )
        case .killed(.afterCancel, _)?: (RuleCatalog.cancelHeard, .timeout)
        case .killed(.shutdownTimeout, _)?: (RuleCatalog.processReturns, .timeout)
        case .killed?: (RuleCatalog.processConnection, .crash)
        case nil: (RuleCatalog.processCrash, .crash)
        }
    }
}
