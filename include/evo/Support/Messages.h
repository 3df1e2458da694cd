// Messages between a process and its workers.
#ifndef EVO_SUPPORT_MESSAGES_H
#define EVO_SUPPORT_MESSAGES_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace evo {

/// One message: its length as 16 hexadecimal digits, a newline, the text.
bool sendMessage(int descriptor, const llvm::json::Value &message);
/// Waits for a message; an error at the end of the input and on bad framing.
llvm::Expected<llvm::json::Value> receiveMessage(int descriptor);

} // namespace evo

#endif
