// Which device a kernel is handed.
#include "DevicePool.h"

using namespace mlir;
using namespace evo;

DevicePool::DevicePool(ArrayRef<int> numbers, MakeTiming makeTiming) {
  for (int number : numbers)
    devices.push_back(
        std::unique_ptr<Device>(new Device{number, makeTiming(number)}));
}

void DevicePool::Release::operator()(Device *device) const {
  std::lock_guard<std::mutex> lock(pool->mutex);
  device->isTaken = false;
  pool->isFree.notify_all();
}

DevicePool::Taken DevicePool::takeFree(StringRef kernel) {
  Device *found = nullptr;
  for (const std::unique_ptr<Device> &device : devices)
    if (!device->isTaken && (!found || (device->kept.kernel == kernel &&
                                        found->kept.kernel != kernel)))
      found = device.get();
  if (found)
    found->isTaken = true;
  return Taken(found, Release{this});
}

DevicePool::Taken DevicePool::take(StringRef kernel) {
  std::unique_lock<std::mutex> lock(mutex);
  Taken found;
  isFree.wait(lock, [&] { return bool(found = takeFree(kernel)); });
  return found;
}

DevicePool::Taken DevicePool::tryTake(StringRef kernel) {
  std::lock_guard<std::mutex> lock(mutex);
  return takeFree(kernel);
}

DevicePool::Taken DevicePool::take(size_t index) {
  std::unique_lock<std::mutex> lock(mutex);
  Device *device = devices[index].get();
  isFree.wait(lock, [&] { return !device->isTaken; });
  device->isTaken = true;
  return Taken(device, Release{this});
}
