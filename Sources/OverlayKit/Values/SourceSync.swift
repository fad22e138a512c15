import OverlayABI

/// What a row of a plan does: `OVL_SYNC_…`. An open set; take an unknown one as `keep`.
public struct SourcePlanAction: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// An action by its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Brings something that the other side lacks.
    public static let add = SourcePlanAction(rawValue: OVL_SYNC_ADD)
    /// Changes something, keeping the rest of it.
    public static let update = SourcePlanAction(rawValue: OVL_SYNC_UPDATE)
    /// Puts a file in place of another.
    public static let replace = SourcePlanAction(rawValue: OVL_SYNC_REPLACE)
    /// Removes something.
    public static let remove = SourcePlanAction(rawValue: OVL_SYNC_REMOVE)
    /// Leaves something as it is.
    public static let keep = SourcePlanAction(rawValue: OVL_SYNC_KEEP)
    /// Both sides changed something, so that a person should look at it.
    public static let conflict = SourcePlanAction(rawValue: OVL_SYNC_CONFLICT)
    /// It is only on the device, and nothing is done.
    public static let onlyOnDevice = SourcePlanAction(rawValue: OVL_SYNC_ONLY_ON_DEVICE)
}

/// One row of the plan of a sync; the Swift form of `ovl_sync_row`.
///
///     let row = SourcePlanRow(.add, item: "notes.txt", changesDevice: true, bytes: 120)
public struct SourcePlanRow: Hashable, Sendable {
    /// What is done.
    public var action: SourcePlanAction
    /// What it is about, such as a path in the folder or the key of an entry; nil if only the device has it.
    public var item: String?
    /// Path on the device; nil if it is not there. One of `item` and `path` is present.
    public var path: String?
    /// Why, one sentence; nil if the action says enough.
    public var reason: String?
    /// For a dry run: the values of both sides, in lines.
    public var details: String?
    /// Whether the device is changed.
    public var changesDevice: Bool
    /// Whether the folder is changed.
    public var changesSource: Bool
    /// Bytes that are copied.
    public var bytes: UInt64

    /// A row.
    public init(
        _ action: SourcePlanAction, item: String?, path: String? = nil, reason: String? = nil,
        details: String? = nil, changesDevice: Bool = false, changesSource: Bool = false, bytes: UInt64 = 0
    ) {
        self.action = action
        self.item = item
        self.path = path
        self.reason = reason
        self.details = details
        self.changesDevice = changesDevice
        self.changesSource = changesSource
        self.bytes = bytes
    }
}

/// What the host knows about a file or folder in the granted folder; the Swift form of `ovl_source_file`.
public struct SourceFileInfo: Hashable, Sendable {
    /// Name without folders.
    public var name: String
    /// What it is.
    public var kind: FileKind
    /// Bytes.
    public var size: UInt64
    /// When the content changed, in nanoseconds since 1970-01-01 00:00 UTC.
    public var modified: Int64
    /// Changes whenever the file does, to be compared only; nil unless it is a regular file.
    public var stamp: String?
    /// SHA-256 of the content in hexadecimal digits; nil from `list` and `stat`.
    public var digest: String?
    /// From `send` and `fetch`: when the content of the file on the device last changed, in nanoseconds since 1970; 0 if not
    /// known.
    public var deviceModified: Int64

    /// Facts about a file.
    public init(
        name: String, kind: FileKind = .regular, size: UInt64 = 0, modified: Int64 = 0, stamp: String? = nil,
        digest: String? = nil, deviceModified: Int64 = 0
    ) {
        self.name = name
        self.kind = kind
        self.size = size
        self.modified = modified
        self.stamp = stamp
        self.digest = digest
        self.deviceModified = deviceModified
    }
}

/// One file to copy between the folder and the device; the Swift form of `ovl_source_item`.
public struct SourceItem: Hashable, Sendable {
    /// Path in the folder.
    public var path: String
    /// Path on the device.
    public var devicePath: String
    /// The stamp that the file in the folder must have. For `send`, nil means any file; for `fetch`, nil means that
    /// there must be no file.
    public var expected: String?
    /// For `send`: whether an interrupted copy stays in the folder of the device path, so that the next one
    /// continues with it.
    public var isContinued: Bool

    /// A file and where its copy goes or comes from.
    public init(_ path: String, devicePath: String, expected: String? = nil, isContinued: Bool = false) {
        self.isContinued = isContinued
        self.path = path
        self.devicePath = devicePath
        self.expected = expected
    }
}
