import OverlayABI

/// The action of a row in a plan: `OVL_SYNC_…`. An open set; treat an unknown value as `keep`.
///
/// ```swift
/// func row(for file: SourceFileInfo, isOnDevice: Bool) -> SourcePlanRow {
///     let action: SourcePlanAction = isOnDevice ? .replace : .add
///     return SourcePlanRow(action, item: file.name, changesDevice: true, bytes: file.size)
/// }
/// ```
public struct SourcePlanAction: RawRepresentable, Hashable, Sendable {
    /// The number in the C contract.
    public var rawValue: UInt32

    /// Creates an action from its number in the C contract.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Adds an item that is missing on the other side.
    public static let add = SourcePlanAction(rawValue: OVL_SYNC_ADD)
    /// Changes a part of an item.
    public static let update = SourcePlanAction(rawValue: OVL_SYNC_UPDATE)
    /// Replaces a file.
    public static let replace = SourcePlanAction(rawValue: OVL_SYNC_REPLACE)
    /// Removes an item.
    public static let remove = SourcePlanAction(rawValue: OVL_SYNC_REMOVE)
    /// Leaves an item unchanged.
    public static let keep = SourcePlanAction(rawValue: OVL_SYNC_KEEP)
    /// Both sides changed an item, so the user should examine it.
    public static let conflict = SourcePlanAction(rawValue: OVL_SYNC_CONFLICT)
    /// The item is only on the device; nothing is done.
    public static let onlyOnDevice = SourcePlanAction(rawValue: OVL_SYNC_ONLY_ON_DEVICE)
}

/// A row in the plan of a sync. The Swift form of `ovl_sync_row`.
///
/// ```swift
/// let row = SourcePlanRow(.add, item: "notes.txt", changesDevice: true, bytes: 120)
/// ```
public struct SourcePlanRow: Hashable, Sendable {
    /// The action.
    public var action: SourcePlanAction
    /// The item, such as a path in the folder or the key of an entry; nil if it is only on the device.
    public var item: String?
    /// The path on the device; nil if the item is not there. At least one of `item` and `path` is present.
    public var path: String?
    /// The reason, as one sentence; nil if the action needs none.
    public var reason: String?
    /// For a dry run: the values of both sides, in lines.
    public var details: String?
    /// Whether the device is changed.
    public var changesDevice: Bool
    /// Whether the folder is changed.
    public var changesSource: Bool
    /// With `keep`: whether the item cannot be synced; the reason says why.
    public var fails: Bool
    /// The number of bytes to copy.
    public var bytes: UInt64

    /// Creates a row.
    public init(
        _ action: SourcePlanAction, item: String?, path: String? = nil, reason: String? = nil,
        details: String? = nil, changesDevice: Bool = false, changesSource: Bool = false, fails: Bool = false,
        bytes: UInt64 = 0
    ) {
        self.action = action
        self.item = item
        self.path = path
        self.reason = reason
        self.details = details
        self.changesDevice = changesDevice
        self.changesSource = changesSource
        self.fails = fails
        self.bytes = bytes
    }
}

/// Information about a file or folder in the granted folder. The Swift form of `ovl_source_file`.
///
/// ```swift
/// let old = try host.source.stat("notes.txt")
/// let written = try host.source.write("notes.txt", Array("Emma".utf8), expected: old?.stamp)
/// host.log.debug("sync", "Wrote \(written.name) with \(written.size) bytes.")
/// ```
public struct SourceFileInfo: Hashable, Sendable {
    /// The name without folders.
    public var name: String
    /// The type.
    public var kind: FileKind
    /// The size in bytes.
    public var size: UInt64
    /// The modification time of the content, in nanoseconds since 1970-01-01 00:00 UTC.
    public var modified: Int64
    /// A text that changes whenever the file changes, only for comparisons; nil unless this is a regular file.
    public var stamp: String?
    /// The SHA-256 of the content in hexadecimal; nil from `list` and `stat`.
    public var digest: String?
    /// From `send` and `fetch`: the modification time of the content on the device, in nanoseconds since 1970; 0 if
    /// unknown.
    public var deviceModified: Int64

    /// Creates the information about a file.
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

/// A file to copy between the folder and the device. The Swift form of `ovl_source_item`.
///
/// ```swift
/// let file = try host.source.stat("notes.txt")
/// let item = SourceItem("notes.txt", devicePath: "/Documents/notes.txt", expected: file?.stamp)
/// let stamp = try host.source.send([item], to: .documents)[0].get().stamp
/// ```
public struct SourceItem: Hashable, Sendable {
    /// The path in the folder.
    public var path: String
    /// The path on the device.
    public var devicePath: String
    /// The required stamp of the file in the folder. For `send`, nil means any file; for `fetch`, nil means that
    /// there must be no file.
    public var expected: String?
    /// For `send`: whether an interrupted copy is kept in the folder of the device path, so that the next one
    /// continues it.
    public var isContinued: Bool

    /// Creates an item with the two paths of a file.
    public init(_ path: String, devicePath: String, expected: String? = nil, isContinued: Bool = false) {
        self.isContinued = isContinued
        self.path = path
        self.devicePath = devicePath
        self.expected = expected
    }
}
