import DeviceWire

extension PushJob {
    /// Closes and removes the temporary file, once.
    func cleanUp(on channel: AFCChannel) {
        guard phase != .cleaning, phase != .ended else {
            // A handle that arrives late still has to be closed.
            if let handle { closeAndRemove(handle, on: channel) }
            return
        }
        // After a failed rename the file that was already removed, or may be, makes the temporary one the only copy: keep it.
        if removedTarget {
            failure?.hint = "The complete new file is on the device as \(temporary)."
            return end()
        }
        let hadTemporary = hasTemporary
        phase = .cleaning
        removeFormer(on: channel)
        if let handle {
            closeAndRemove(handle, on: channel)
        } else if hadTemporary {
            channel.send(.removePath(path: temporary), for: self, slot: Slot.removal)
        }
        end()
    }

    func takeRemoval(_ answer: AFCAnswer) {
        let failure = answer.failure(temporary)
        guard failure == nil || failure?.code == .notFound else { return }
        remainsAreGone(wereThere: failure == nil, forGood: false)
    }

    private func closeAndRemove(_ handle: UInt64, on channel: AFCChannel) {
        self.handle = nil
        channel.send(.fileClose(handle: handle), for: self, slot: Slot.cleanup)
        channel.send(.removePath(path: temporary), for: self, slot: Slot.removal)
    }
}
