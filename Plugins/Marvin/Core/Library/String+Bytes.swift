extension String {
    /// The text's UTF-8: the key of a path or file name in sets and dictionaries.
    ///
    /// To Swift two texts are equal if they look the same, however they are composed ("é" is one scalar or two). To a device
    /// they are two names of two files.
    var bytes: [UInt8] { Array(utf8) }
}
