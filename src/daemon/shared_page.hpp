// The memory of a page, which two processes map.
#pragma once

#include <memory>
#include <optional>

#include "daemon/page.hpp"
#include "daemon/socket.hpp"

namespace heddle::daemon {

class SharedPage {
 public:
  // New memory, whose size nobody can change from then on. Throws io_error.
  static SharedPage create();
  // Of a descriptor that another process has sent. Nothing: it is no such memory, or its size can still be changed.
  static std::optional<SharedPage> map(Descriptor memory);

  Page& operator*() const { return *page_; }
  Page* operator->() const { return page_.get(); }
  int descriptor() const { return memory_.get(); }

 private:
  struct Unmap {
    void operator()(Page* page) const;
  };
  SharedPage(Descriptor memory, Page* page) : memory_(std::move(memory)), page_(page) {}

  Descriptor memory_;
  std::unique_ptr<Page, Unmap> page_;
};

}  // namespace heddle::daemon
