// Tenants.
#include <memory>

#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

namespace {

using heddle::c_api::choice;
using heddle::c_api::given;
using heddle::c_api::guarded;
using heddle::c_api::known;
using heddle::c_api::refuse;
using heddle::c_api::text_or;

heddle::TenantOptions tenant_options(const heddle_tenant_options* options, const char* function) {
  const heddle_tenant_options from = known(options, function);
  if (from.memory_bytes != 0)
    refuse(std::string(function) + ": memory_bytes is for memory of heddle::Tenant::allocate, which C does not have");
  heddle::TenantOptions made;
  made.name = text_or(from.name);
  made.kind = choice(from.kind, 1, function, "kind") == HEDDLE_TENANT_LATENCY ? heddle::TenantKind::latency
                                                                              : heddle::TenantKind::batch;
  made.quota = from.quota;
  made.slip = from.slip;
  return made;
}

}  // namespace

extern "C" {

heddle_status heddle_tenant_create(heddle_runtime* runtime, const heddle_tenant_options* options,
                                   heddle_tenant** tenant) {
  return guarded([&] {
    const char* const function = "heddle_tenant_create";
    auto& on = given(runtime, function, "the runtime").runtime;
    auto& result = given(tenant, function, "the place of the tenant");
    given(options, function, "the options, which hold the name,");
    result = std::make_unique<heddle_tenant>(heddle_tenant{on.tenant(tenant_options(options, function))}).release();
  });
}

heddle_status heddle_tenant_set(heddle_tenant* tenant, const heddle_tenant_options* options) {
  return guarded([&] {
    const char* const function = "heddle_tenant_set";
    const auto& of = given(tenant, function, "the tenant").tenant;
    given(options, function, "the options, which hold the name,");
    of.set(tenant_options(options, function));
  });
}

void heddle_tenant_free(heddle_tenant* tenant) { delete tenant; }
}
