import Diagnostics
import Glibc
import OverlayABI
import OverlayCalls
import OverlayLoading
import Platform
import Synchronization
import WorkerRPC

/// An overlay that runs in workers.
final class WorkerOverlay: OverlayFactory {
    private let library: String
    /// The file from which the library was copied.
    private let file: String
    private let temporary: String
    private let options: WorkerOptions
    /// Creates the copy of the library again.
    private let renew: @Sendable () throws(OverlayRefusal) -> Void
    private let state = Monitor(State())

    private struct State {
        /// The worker that described the overlay or was started for the next instance, until an instance uses it; or
        /// the failure to start it.
        var spare: Result<RunningWorker, WorkerFailure>?
        /// Whether a thread is starting the spare worker.
        var isPreparing = false
        /// Whether the spare worker that is being started is no longer needed.
        var isUnwanted = false
        /// The overlay's description; nil until it is known.
        var descriptor: OverlayDescription?
        /// The implemented functions; nil until they are known.
        var tables: OverlayTables?
    }

    /// A worker that has described its overlay.
    struct RunningWorker: Sendable {
        let process: WorkerProcess
        let rpc: RPCConnection
        let confinement: Confinement
        /// The numbers of the tables by the indexes of their plans.
        let numbers: [Int: UInt64]
        fileprivate let entry: Entry
        /// The description that the worker sent, in the form in which it is stored.
        fileprivate let bytes: [UInt8]

        /// The plan of `initialize`, if the overlay implements it.
        var initialize: FunctionPlan? {
            let record = entry.pointer.assumingMemoryBound(to: ovl_entry.self)
            guard record.pointee.methods?.pointee.initialize != nil else { return nil }
            return ContractPlans.shared.record("ovl_methods")?.function("initialize")
        }
    }

    /// Unchecked: the link owns the memory.
    fileprivate struct Entry: @unchecked Sendable {
        let pointer: UnsafeRawPointer
    }

    /// Creates an overlay for `library`, which `renew` creates again if it has been removed. Does not start a worker.
    init(
        library: String, of file: String, temporary: String, options: WorkerOptions,
        renew: @escaping @Sendable () throws(OverlayRefusal) -> Void
    ) {
        self.renew = renew
        self.library = library
        self.file = file
        self.temporary = temporary
        self.options = options
    }

    /// The tables of the overlay, which are either stored or sent by a worker.
    func describe() throws(OverlayRefusal) -> EntryReader.Tables {
        if let tables = storedTables() { return tables }
        let worker: RunningWorker
        do {
            worker = try start()
        } catch let failure as WorkerFailure {
            if failure.isCancelled {
                throw OverlayRefusal(.cancelled, "The command was cancelled while the overlay was loading.")
            }
            let isHung = if case .killed(.silence, _) = failure.end { true } else { false }
            throw OverlayRefusal(
                isHung ? .hung : .crashed,
                (failure.end == nil ? "It \(failure.clause)." : "It \(failure.clause) while loading.")
                    + (failure.words.map { " It wrote: \($0)" } ?? ""),
                hint: "Ask the overlay's author for a working version.")
        } catch {
            throw Self.refusal(error)
        }
        let tables: EntryReader.Tables
        do {
            tables = try self.tables(worker.bytes)
        } catch {
            worker.process.hangUp()
            throw Self.refusal(error)
        }
        state.change { $0.spare = .success(worker) }
        CachedEntry(library: library, program: options.program)?.write(worker.bytes)
        return tables
    }

    /// Converts the error into a refusal of the overlay.
    private static func refusal(_ error: any Error) -> OverlayRefusal {
        if let refusal = error as? OverlayRefusal { return refusal }
        let reason = (error as? any CodedFailure)?.message ?? "\(error)."
        return OverlayRefusal(.notLoadable, "Cannot load it: \(reason)", underlying: error)
    }

    /// Decodes tables from bytes that a worker has sent. They are not freed when the worker ends.
    private func tables(_ bytes: [UInt8]) throws -> EntryReader.Tables {
        guard let plan = ContractPlans.shared.record("ovl_entry") else {
            throw WorkerRPCError(.malformed, "The host does not know its tables.")
        }
        let table = try StoredTable(bytes, plan)
        let tables = try EntryReader.read(table.pointer)
        state.change {
            $0.descriptor = tables.descriptor
            $0.tables = OverlayTables(tables.entry, tables.methods)
        }
        WorkerTables.keep(table)
        return tables
    }

    /// The tables of an earlier description; nil if they are missing or unusable.
    private func storedTables() -> EntryReader.Tables? {
        guard let bytes = CachedEntry(library: library, program: options.program)?.read() else { return nil }
        do {
            return try tables(bytes)
        } catch {
            // Ask the overlay again and replace the stored description.
            return nil
        }
    }

    /// The name for messages: the id, or the name of the file until the id is known.
    var name: String {
        state.change { $0.descriptor?.id } ?? String(file.pathName)
    }

    /// The time limits of a function.
    func limits(of method: String) -> MethodLimits {
        let descriptor = state.change { $0.descriptor }
        return descriptor?.limits(of: method)
            ?? MethodLimits(total: nil, silence: MethodLimits.longestSilence)
    }

    /// An idle worker: the one that described the overlay or was prepared, or a new one.
    func take() throws(WorkerFailure) -> RunningWorker {
        // Ignore a failure to start a worker in advance, because its cause may no longer exist. Otherwise the next
        // start reports it.
        if case .success(let worker)? = takeSpare(), worker.process.claim() { return worker }
        let worker = try startAgain()
        _ = worker.process.claim()
        return worker
    }

    /// Starts a worker for the next instance in the background, unless one is already waiting. An unused worker ends
    /// after some time, or with the host. A failure is reported to the instance that needs the worker.
    @discardableResult
    func prepare() -> Bool {
        let isWanted = state.change { state in
            state.isUnwanted = false
            guard !state.isPreparing, state.spare == nil else { return false }
            state.isPreparing = true
            return true
        }
        guard isWanted else { return false }
        let isRunning = SystemThread.detached { [self] in
            let worker = Result { () throws(WorkerFailure) in try startAgain() }
            let isUnwanted = state.change { state in
                state.isPreparing = false
                guard !state.isUnwanted else { return true }
                state.spare = worker
                return false
            }
            if isUnwanted, case .success(let worker) = worker { worker.process.hangUp() }
        }
        if !isRunning { state.change { $0.isPreparing = false } }
        return isRunning
    }

    func dismiss() {
        let spare = state.change { state in
            state.isUnwanted = state.isPreparing
            defer { state.spare = nil }
            return state.spare
        }
        if case .success(let worker)? = spare { worker.process.hangUp() }
    }

    /// The spare worker, after it has started.
    private func takeSpare() -> Result<RunningWorker, WorkerFailure>? {
        state.wait { state in
            guard !state.isPreparing else {
                state.isUnwanted = false
                return nil
            }
            defer { state.spare = nil }
            return .some(state.spare)
        }
    }

    /// Handles the worker of an instance that has ended. It waits for the next instance if `servesAgain` allows this,
    /// and ends otherwise.
    func giveBack(_ worker: RunningWorker) {
        let isKept = options.servesAgain?() == true && worker.process.isAlive && worker.process.release()
        let isWaiting =
            isKept
            && state.change { state in
                guard state.spare == nil, !state.isPreparing else { return false }
                state.spare = .success(worker)
                return true
            }
        if !isWaiting { worker.process.hangUp() }
    }

    /// Ends the worker that waits for an instance, and waits for its end.
    func endSpare() {
        guard case .success(let worker)? = takeSpare() else { return }
        worker.process.hangUp()
        worker.process.waitForEnd()
    }

    /// Starts a worker for an overlay that was loaded before.
    private func startAgain() throws(WorkerFailure) -> RunningWorker {
        do {
            return try start()
        } catch let failure as WorkerFailure {
            throw failure
        } catch {
            throw WorkerFailure(clause: "can no longer be loaded (\(error))")
        }
    }

    /// Throws a `WorkerFailure` or an `OverlayRefusal`.
    private func start() throws -> RunningWorker {
        // Another host may have removed the library as outdated long after it was loaded.
        if access(library, F_OK) != 0, errno == ENOENT { try renew() }
        PrivateCopies.touch(library)
        let process = try process()
        guard let rpc = process.rpc, let plan = ContractPlans.shared.record("ovl_entry") else {
            throw WorkerFailure(clause: "could not be started")
        }
        let ending = options.cancellation?.whenCancelled { [process] in process.cancel() }
        defer { withExtendedLifetime(ending) {} }
        do {
            let first = try rpc.main.receiveNotification()
            guard first.kind == WorkerNotification.confined, let confinement = Confinement(first.bytes) else {
                throw WorkerRPCError(.malformed, "It did not report its confinement.")
            }
            try confinement.check(against: .expected(options), options)
            let second = try rpc.main.receiveNotification()
            switch second.kind {
            case WorkerNotification.entry:
                let bytes = second.bytes
                let table = try second.table(plan)
                return RunningWorker(
                    process: process, rpc: rpc, confinement: confinement, numbers: table.numbers,
                    entry: Entry(pointer: table.pointer), bytes: bytes)
            case WorkerNotification.notLoadable:
                throw LinkFailure.refusal(second.text, copy: library)
            case WorkerNotification.noEntry:
                throw OverlayRefusal(.noEntry, "It has no entry function ovl_entry_v1.")
            case WorkerNotification.noRecord:
                process.hangUp()
                let words = process.failure(WorkerRPCError(.closed, "It was let go.")).words
                throw OverlayRefusal(
                    .incompleteEntry,
                    "The function ovl_entry_v1 returned null." + (words.map { " It wrote: \($0)" } ?? ""))
            case WorkerNotification.wrongSize: throw OverlayRefusal(.structTooSmall, second.text)
            case WorkerNotification.tooLarge:
                throw OverlayRefusal(.invalidDescriptor, second.text, underlying: DescriptorRule.limit)
            default: throw WorkerRPCError(.malformed, "The worker did not return a descriptor.")
            }
        } catch let error as WorkerRPCError {
            throw process.failure(error)
        } catch {
            process.hangUp()
            throw error
        }
    }

    /// The worker in reserve or a new one, with the library.
    private func process() throws(WorkerFailure) -> WorkerProcess {
        if let process = options.reserve?.take() {
            process.load(library)
            return process
        }
        return try WorkerProcess(library: library, temporary: temporary, options: options) {
            [weak self, file] in self?.name ?? file
        }
    }

    func implements(_ function: FunctionPlan) -> Bool {
        state.change { $0.tables }?.code(function) != nil
    }

    func create(
        _ function: FunctionPlan, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ result: UnsafeMutableRawPointer, _ context: CreationContext
    ) throws(WorkerFailure) -> (any OverlayTarget)? {
        guard let host = arguments[0]?.load(as: UnsafePointer<ovl_host>?.self) else {
            function.fail(OVL_NOT_SUPPORTED, nil, arguments, result)
            return nil
        }
        let worker = try take()
        let number = try WorkerInstance.create(worker, function, arguments, result, self, context)
        guard number != 0 else {
            worker.process.hangUp()
            return nil
        }
        return WorkerInstance(self, host, worker, number, function, options, context)
    }
}

/// Owns the memory of tables to which `LoadedOverlay`s refer. It is never freed, like the image of a library.
private enum WorkerTables {
    private static let owners = Mutex<[any AnyObject & Sendable]>([])

    static func keep(_ owner: any AnyObject & Sendable) { owners.withLock { $0.append(owner) } }
}
