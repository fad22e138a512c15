/// How much a backup copies, holds and asks for at once.
struct BackupLimits {
    /// Most books of one batch, and the bytes after which it ends. What is written down beside the next batch is a batch.
    var batch = (books: 64, bytes: UInt64(256 << 20))
    /// Most books, and most bytes of covers, that the app is asked for at once. A larger cover is asked for alone.
    var covers = (books: 256, bytes: UInt64(64 << 20))
    /// The bytes of copies that wait for covers after which the app is asked.
    var waitingBytes = UInt64(256 << 20)
}
