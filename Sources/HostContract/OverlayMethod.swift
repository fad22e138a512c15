import OverlayCalls
import OverlayLoading

/// A method of the contract with its rules from the header. The raw value is its name in the contract.
package enum OverlayMethod: String, Sendable, CaseIterable {
    case initialize
    case shutdown
    case isUSBConnected = "is_usb_connected"
    case canHandle = "can_handle"
    case books
    case uploadBooks = "upload_books"
    case addBooksToMetadata = "add_books_to_metadata"
    case deleteBooks = "delete_books"
    case removeBooksFromMetadata = "remove_books_from_metadata"
    case syncBooklists = "sync_booklists"
    case getFile = "get_file"
    case prepareAddableBooks = "prepare_addable_books"
    case eject
    case postYankCleanup = "post_yank_cleanup"
    case settings
    case perform
    case syncSource = "sync_source"
    case collections

    /// The plan from the table of signatures.
    package var function: FunctionPlan? { Self.functions[self] }

    private static let functions: [OverlayMethod: FunctionPlan] = {
        let record = ContractPlans.shared.record("ovl_methods")
        return Dictionary(
            uniqueKeysWithValues: allCases.compactMap { method in
                record?.function(method.rawValue).map { (method, $0) }
            })
    }()

    /// Whether the only arguments are the instance and a sink for an error.
    package var hasNoArguments: Bool {
        switch self {
        case .initialize, .shutdown, .eject, .postYankCleanup: true
        default: false
        }
    }

    /// The states in which the method may be called.
    package var states: Set<SessionState> {
        switch self {
        case .initialize: [.created]
        case .shutdown, .addBooksToMetadata, .removeBooksFromMetadata:
            [.initialized, .attached, .yanked, .ejected]
        case .isUSBConnected: [.initialized, .attached, .ejected]
        case .canHandle, .settings: [.initialized, .attached]
        case .books, .uploadBooks, .deleteBooks, .syncBooklists, .getFile, .prepareAddableBooks, .eject,
            .perform, .syncSource, .collections:
            [.attached]
        case .postYankCleanup: [.yanked, .ejected]
        }
    }

    /// Whether the method must not use the transport service.
    package var isPure: Bool {
        switch self {
        case .initialize, .shutdown, .addBooksToMetadata, .removeBooksFromMetadata, .postYankCleanup: true
        default: false
        }
    }

    /// The event of the instance when the method succeeds or is not implemented.
    package var onSuccess: SessionState.Event? {
        switch self {
        case .initialize: .initialized
        case .eject: .ejected
        default: onReturn
        }
    }

    /// The event of the instance when the method returns, even with an error.
    package var onReturn: SessionState.Event? {
        switch self {
        case .shutdown: .shutDown
        case .postYankCleanup: .cleaned
        default: nil
        }
    }

    /// The possible outcomes of its rows; empty for methods without rows.
    package var outcomes: Set<ItemStatus> {
        switch self {
        case .uploadBooks: [.added, .updated, .replaced, .skipped, .failed]
        case .deleteBooks: [.deleted, .skipped, .failed]
        case .syncBooklists: [.updated, .skipped, .failed]
        case .prepareAddableBooks: [.fetched, .failed]
        case .syncSource: Set(ItemStatus.allCases)
        default: []
        }
    }

    /// Whether success requires one row for each item.
    package var rowsAreComplete: Bool { self != .syncBooklists && self != .syncSource }

    /// The purpose, for messages about missing methods.
    package var purpose: String {
        switch self {
        case .books: "list books"
        case .collections: "list collections"
        case .uploadBooks: "add books"
        case .deleteBooks: "delete books"
        case .syncBooklists: "change books"
        case .getFile, .prepareAddableBooks: "fetch books"
        case .perform: "run app-specific commands"
        case .syncSource: "sync a folder both ways"
        default: rawValue
        }
    }
}

extension LoadedOverlay {
    /// Whether the overlay implements a method.
    package func implements(_ method: OverlayMethod) -> Bool {
        method.function.map { factory.implements($0) } ?? false
    }
}
