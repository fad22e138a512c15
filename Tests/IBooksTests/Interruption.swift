import OverlayKit
import OverlayKitTesting

@testable import iBooks

/// The effect of a lost connection on the request in progress.
enum Interruption: CaseIterable {
    /// The request never arrived.
    case request
    /// It was carried out, and the answer was lost.
    case answer
}

extension BooksShelf {
    /// Runs a command whose connection is lost at a request, and lets its program end.
    ///
    /// - Returns: false when the command needed fewer requests.
    func interrupt(at place: Int, _ cut: Interruption, _ command: () throws -> Void) rethrows -> Bool {
        var count = 0
        return try interrupt(
            cut,
            at: { _, _ in
                count += 1
                return count == place
            }, command)
    }

    /// Runs a command whose connection is lost at the first request that `isPlace` picks, and lets its program end.
    ///
    /// - Returns: false when the command made no such request.
    func interrupt(
        _ cut: Interruption, at isPlace: @escaping (_ operation: String, _ path: String) -> Bool,
        _ command: () throws -> Void
    ) rethrows -> Bool {
        var isGone = false
        host.before = { [unowned host] operation, path in
            guard !isGone, isPlace(operation, path) else { return }
            isGone = true
            guard cut == .answer else { return }
            switch operation {
            case "rename":
                let paths = path.split(separator: " ").map(String.init)
                host.move(from: paths[0], to: paths[1])
            case "remove": host.removeAll(at: path)
            case "make_folder": host.makeFolders(of: path + "/x")
            default: break
            }
        }
        host.fault = { _, _ in isGone ? .deviceGone : nil }
        host.claimFault = { _ in isGone ? .deviceGone : nil }
        try command()
        host.fault = { _, _ in nil }
        host.claimFault = { _ in nil }
        host.endMethods()
        return isGone
    }
}
