extension Unicode.Scalar {
    /// Whether it is a control character: U+0000 to U+001F, or U+007F to U+009F. These are all scalars of the general category Cc, which
    /// never changes.
    package var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
