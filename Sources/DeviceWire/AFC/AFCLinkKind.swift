/// What MAKE_LINK makes.
package enum AFCLinkKind: UInt64, CaseIterable, Sendable {
    /// A second name of the same file.
    case hard = 1
    /// A file that holds the path of another.
    case symbolic = 2
}
