import OverlayABI
import OverlayBridge

extension Presence {
    /// Checks and copies an overlay's answer. It must not contain an answer or a reason that this version does not
    /// know.
    package init(checked record: ovl_presence) throws(ContractBreach) {
        let (answer, reason) = (Answer(rawValue: record.answer), Reason(rawValue: record.reason))
        guard Answer.known.contains(answer) else {
            throw ContractBreach(.resultValue, "The answer \(record.answer) does not exist.")
        }
        guard Reason.known.contains(reason) else {
            throw ContractBreach(.resultValue, "The reason \(record.reason) does not exist.")
        }
        self.init(
            answer: answer, reason: reason, message: record.message.readMessage(),
            hint: record.hint.readMessage(), appVersion: try record.app_version.read("app_version"))
    }
}
