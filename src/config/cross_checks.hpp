// What must hold between options, and what follows from them: run once, after the walk.
#pragma once

#include "config/report.hpp"
#include "config/settings.hpp"

namespace weir::config {

// Tiers that are named exist, JWT algorithms have their keys (and jwt.enabled is set), no user is
// in two teams.
void check_callers(settings& value, report& to);

// Routes, providers, models and aliases fit together; targets that were left out are filled in;
// routes are sorted.
void check_traffic(settings& value, report& to);

// No time-out is longer than the whole call (those left at their default are shortened); the planes
// do not collide.
void check_running(settings& value, report& to);

}  // namespace weir::config
