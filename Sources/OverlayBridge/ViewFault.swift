/// What is wrong with a record or view that the other side passed. Host and kit each make their own error of it.
package enum ViewFault: Error, Equatable {
    /// A pointer to this type is null where the contract requires one.
    case nullPointer(String)
    /// The `struct_size` cannot be that of a record of this type.
    case structSize(Int, of: String)
    /// A text or image is absent and has a size nevertheless.
    case sizeWithoutData(String, size: UInt64)
    /// A list is absent and has a count nevertheless.
    case countWithoutItems(String, count: UInt64)
    /// A field has more bytes than the limit.
    case tooManyBytes(String, UInt64, limit: Int)
    /// A field has more elements than the limit.
    case tooManyElements(String, UInt64, limit: Int)
    /// A required field is absent.
    case absent(String)
    /// A text is not UTF-8.
    case notUTF8(String)
    /// The elements of a list are not aligned.
    case misaligned(String)
    /// The stride of a list cannot be that of its records.
    case stride(String, stride: UInt64)
    /// All books together have more bytes than the limit.
    case totalBytes(limit: UInt64)
}
