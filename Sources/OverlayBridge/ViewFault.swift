/// A fault in a record or view from the other side. Host and kit convert it into their own errors.
///
/// ```swift
/// func message(_ fault: ViewFault) -> String {
///     if case .absent(let field) = fault { return "The field \(field) is missing." }
///     return "The record is not valid: \(fault)."
/// }
/// ```
public enum ViewFault: Error, Equatable {
    /// A pointer to this type is null although the contract requires a value.
    case nullPointer(String)
    /// The `struct_size` is not valid for a record of this type.
    case structSize(Int, of: String)
    /// A text or image is absent but has a size.
    case sizeWithoutData(String, size: UInt64)
    /// A list is absent but has a count.
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
    /// The stride of a list is not valid for its records.
    case stride(String, stride: UInt64)
    /// All books together have more bytes than the limit.
    case totalBytes(limit: UInt64)
}
