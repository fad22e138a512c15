extension StringProtocol {
    /// The text without such characters at its beginning and end.
    package func trimmed(of isUnwanted: (Character) -> Bool) -> String {
        guard let first = firstIndex(where: { !isUnwanted($0) }),
            let last = lastIndex(where: { !isUnwanted($0) })
        else { return "" }
        return String(self[first...last])
    }
}
