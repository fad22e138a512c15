import DeviceTransport
import Synchronization

@testable import OverlayHost

/// A device in memory: its files are a table, and its cable is a flag.
final class FakeDevice: DeviceAccess {
    let device: DeviceDescription
    let files = FakeFiles()
    private struct State {
        var isGone = false
        var whenGone: [@Sendable () -> Void] = []
        var trust = PairingState.paired
        /// The user's answer when the device is asked to trust this computer.
        var answer: PairingState?
        var values: [String: DeviceValue] = [
            "DeviceName": .string("Test iPad"), "ProductType": .string("iPad2,5"),
            "ProductVersion": .string("8.1.3"),
        ]
        var apps = [
            InstalledApp(
                bundleID: "com.example.reader",
                attributes: [
                    "CFBundleDisplayName": .string("Reader"), "CFBundleShortVersionString": .string("3.1"),
                ])
        ]
        var granted: [DeviceRoot.Kind] = [.container, .documents, .media]
        var refused: [GrantedRoots.Refusal] = []
        var opened = 0
        var waits = 0
        var onWait: (@Sendable (FakeDevice, Int) -> Void)?
        var openFailure: TransportError?
    }
    private let state = Mutex(State())

    init(udid: String = "00000000000000000000000000000000000000aa") {
        device = DeviceDescription(udid: udid, links: [.usb])
    }

    var isGone: Bool { state.withLock { $0.isGone } }
    /// The number of opened roots.
    var opened: Int { state.withLock { $0.opened } }
    /// The number of waits.
    var waits: Int { state.withLock { $0.waits } }

    func unplug() {
        let handlers = state.withLock { state in
            state.isGone = true
            return state.whenGone
        }
        for handler in handlers { handler() }
    }
    func whenGone(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
        state.withLock { $0.whenGone.append(handler) }
        return nil
    }
    func set(answer: PairingState) { state.withLock { $0.answer = answer } }
    func set(trust: PairingState) { state.withLock { $0.trust = trust } }
    func set(locked: Bool) { state.withLock { $0.values["PasswordProtected"] = .bool(locked) } }
    func set(apps: [InstalledApp]) { state.withLock { $0.apps = apps } }
    func set(openFailure: TransportError?) { state.withLock { $0.openFailure = openFailure } }
    func refuse(_ kinds: [DeviceRoot.Kind], _ error: TransportError) {
        state.withLock { state in
            state.granted.removeAll { kinds.contains($0) }
            state.refused.removeAll { kinds.contains($0.root) }
            state.refused += kinds.map { GrantedRoots.Refusal(root: $0, error: error) }
        }
    }
    /// Called at each wait with its number from 1, instead of waiting.
    func onWait(_ action: @escaping @Sendable (FakeDevice, Int) -> Void) {
        state.withLock { $0.onWait = action }
    }

    private func gone() -> TransportError { TransportError(.deviceGone, "The device was disconnected.") }

    func information(_ context: OperationContext) throws(TransportError) -> DeviceInformation {
        if isGone { throw gone() }
        return DeviceInformation(values: state.withLock { $0.values })
    }

    func pairing(_ context: OperationContext) throws(TransportError) -> PairingState {
        state.withLock { $0.trust }
    }

    func askForTrust(_ context: OperationContext) throws(TransportError) -> PairingState {
        state.withLock { state in
            if let answer = state.answer { state.trust = answer }
            return state.trust
        }
    }

    func apps(bundleIDs: [String], _ context: OperationContext) throws(TransportError) -> [String:
        InstalledApp]
    {
        var found: [String: InstalledApp] = [:]
        for app in try apps(includingSystem: true, context) where bundleIDs.contains(app.bundleID) {
            found[app.bundleID] = app
        }
        return found
    }

    func apps(includingSystem: Bool, _ context: OperationContext) throws(TransportError) -> [InstalledApp] {
        let (trust, apps) = state.withLock { ($0.trust, $0.apps) }
        guard trust == .paired else {
            throw TransportError(.notPaired, "The device does not trust this computer.")
        }
        return apps
    }

    func roots(for bundleID: String, _ context: OperationContext) throws(TransportError) -> GrantedRoots {
        state.withLock { state in
            GrantedRoots(
                app: state.apps.first { $0.bundleID == bundleID }, granted: state.granted,
                refused: state.refused)
        }
    }

    func openFiles(_ root: DeviceRoot, _ context: OperationContext) throws(TransportError) -> any FileAccess {
        if let failure = state.withLock({ $0.openFailure }) { throw failure }
        state.withLock { $0.opened += 1 }
        return files
    }

    func wait(for duration: Duration, _ context: OperationContext) throws(TransportError) {
        if duration > .zero {
            let (number, action) = state.withLock { state in
                state.waits += 1
                return (state.waits, state.onWait)
            }
            action?(self, number)
        }
        if isGone { throw gone() }
        try context.check()
    }

    func close() {}
}

/// Files in memory. Every prefix of a path is a folder.
final class FakeFiles: FileAccess {
    private let contents = Mutex<[String: [UInt8]]>([:])
    private let freeBytes = Mutex<UInt64>(1 << 40)
    private let failure = Mutex<TransportError?>(nil)
    /// The listings so far, each with its folders.
    let listings = Mutex<[[String]]>([])
    /// Called before each item of a push or pull, with its index.
    private let beforeItem = Mutex<(@Sendable (Int) -> Void)?>(nil)

    subscript(path: String) -> [UInt8]? {
        get { contents.withLock { $0[path] } }
        set { contents.withLock { $0[path] = newValue } }
    }
    func set(free: UInt64) { freeBytes.withLock { $0 = free } }
    func set(failure new: TransportError?) { failure.withLock { $0 = new } }
    func before(_ action: @escaping @Sendable (Int) -> Void) { beforeItem.withLock { $0 = action } }

    private func content(_ path: String) throws(TransportError) -> [UInt8] {
        if let failure = failure.withLock({ $0 }) { throw failure }
        guard let bytes = self[path] else {
            throw TransportError(.notFound, "There is no such file.", subject: path)
        }
        return bytes
    }

    private func status(_ path: String) -> Result<FileStatus, TransportError> {
        if contents.withLock({ $0.keys.contains { $0.hasPrefix(path + "/") } }) {
            return .success(FileStatus(kind: .folder, size: 0))
        }
        do throws(TransportError) {
            return .success(FileStatus(kind: .file, size: UInt64(try content(path).count), modified: 5))
        } catch {
            return .failure(error)
        }
    }

    var overlapsListings: Bool { true }

    func list(_ folder: String, _ context: OperationContext) throws(TransportError) -> [String] {
        listings.withLock { $0.append([folder]) }
        return try entries(folder, context).map(\.name)
    }

    func listMany(
        _ folders: [String], keeping most: Int, _ context: OperationContext
    ) -> [Result<[String], TransportError>] {
        listings.withLock { $0.append(folders) }
        return folders.map { folder in
            Result { () throws(TransportError) in try entries(folder, context).map(\.name) }
        }
    }

    func entries(_ folder: String, _ context: OperationContext) throws(TransportError) -> [FolderEntry] {
        try context.check()
        let prefix = folder + "/"
        let all = contents.withLock { $0 }.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }
        return all.map { path, bytes in
            FolderEntry(
                name: String(path.dropFirst(prefix.count)),
                status: FileStatus(kind: .file, size: UInt64(bytes.count)))
        }
    }

    func statMany(_ paths: [String], _ context: OperationContext) -> [Result<FileStatus, TransportError>] {
        paths.map { status($0) }
    }

    func space(_ context: OperationContext) throws(TransportError) -> StorageSpace {
        StorageSpace(total: 1 << 41, free: freeBytes.withLock { $0 }, blockSize: 4096)
    }

    func read(
        _ path: String, range: Range<UInt64>?, _ context: OperationContext,
        sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        try context.check()
        let bytes = Array(part(try content(path), range))
        for start in stride(from: 0, to: bytes.count, by: 4) {
            let chunk = Array(bytes[start..<min(start + 4, bytes.count)])
            let result = chunk.withUnsafeBytes { buffer -> Result<Void, TransportError> in
                do throws(TransportError) { return .success(try sink(buffer)) } catch {
                    return .failure(error)
                }
            }
            try result.get()
        }
    }

    private func part(_ bytes: [UInt8], _ range: Range<UInt64>?) -> ArraySlice<UInt8> {
        guard let range else { return bytes[...] }
        let start = min(Int(clamping: range.lowerBound), bytes.count)
        return bytes[start..<max(start, min(Int(clamping: range.upperBound), bytes.count))]
    }

    func readMany(
        _ requests: [FileReadRequest], _ context: OperationContext,
        each: (Int, Result<[UInt8], TransportError>) -> Void
    ) {
        for (index, request) in requests.enumerated().reversed() {
            do throws(TransportError) {
                each(index, .success(Array(part(try content(request.path), request.range))))
            } catch {
                each(index, .failure(error))
            }
        }
    }

    /// The number of files whose ends were read, in each call.
    let endsRead = Mutex<[Int]>([])

    func readEnds(_ paths: [String], head: Int, tail: Int, _ context: OperationContext)
        -> [Result<FileEnds, TransportError>]
    {
        endsRead.withLock { $0.append(paths.count) }
        return paths.map { path in
            Result { () throws(TransportError) in
                let bytes = try content(path)
                return FileEnds(
                    status: try status(path).get(), head: Array(bytes.prefix(head)),
                    tail: Array(bytes.dropFirst(head).suffix(tail)))
            }
        }
    }

    func pullMany(
        _ requests: [PullRequest], _ context: OperationContext,
        each: (Int, Result<FileStatus, TransportError>) -> Void
    ) -> [Result<FileStatus, TransportError>] {
        var results: [Result<FileStatus, TransportError>] = []
        for (index, request) in requests.enumerated() {
            beforeItem.withLock { $0 }?(index)
            var result = status(request.path)
            do throws(TransportError) { try context.check() } catch { result = .failure(error) }
            if case .success = result, !writeFile(request.localPath, self[request.path] ?? []) {
                result = .failure(TransportError(.ioFailure, "The local file cannot be written."))
            }
            results.append(result)
            each(index, result)
        }
        return results
    }

    func pushMany(
        _ requests: [PushRequest], _ context: OperationContext,
        each: (Int, Result<FileStatus, TransportError>) -> Void
    ) -> [Result<FileStatus, TransportError>] {
        var results: [Result<FileStatus, TransportError>] = []
        var moved: UInt64 = 0
        for (index, request) in requests.enumerated() {
            beforeItem.withLock { $0 }?(index)
            var result: Result<FileStatus, TransportError>
            do throws(TransportError) {
                try context.check()
                if let failure = failure.withLock({ $0 }) { throw failure }
                guard case .file(let local) = request.source, let bytes = readFile(local) else {
                    throw TransportError(.ioFailure, "The local file cannot be read.")
                }
                self[request.path] = bytes
                moved += UInt64(bytes.count)
                context.progress?(
                    TransferProgress(
                        bytes: moved, totalBytes: nil, items: index + 1, totalItems: requests.count,
                        item: index))
                result = status(request.path)
            } catch {
                result = .failure(error)
            }
            results.append(result)
            each(index, result)
        }
        return results
    }

    func write(_ bytes: [UInt8], to path: String, options: WriteOptions, _ context: OperationContext)
        throws(TransportError)
    {
        try context.check()
        if let failure = failure.withLock({ $0 }) { throw failure }
        self[path] = bytes
    }

    func rename(_ path: String, to newPath: String, replaces: Bool, _ context: OperationContext)
        throws(TransportError)
    {
        self[newPath] = try content(path)
        self[path] = nil
    }

    func remove(_ path: String, recursive: Bool, _ context: OperationContext) throws(TransportError) {
        _ = try content(path)
        self[path] = nil
    }

    func makeFolder(_ path: String, intermediate: Bool, _ context: OperationContext) throws(TransportError) {}

    func close() {}
}
