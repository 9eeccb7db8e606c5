#pragma once

#include <cstdint>

namespace laggard::lab {

/// A disk with one arm. Defaults: Seagate Barracuda 7200.10 320 GB, the storage disk of F §8, from its
/// product manual: 7,200 rpm, 78 MB/s sustained at the outer edge (about half at the inner), 0.8 ms track to
/// track, 8.5 ms average seek.
struct DiskGeometry {
  double capacity_bytes = 320e9;
  double outer_bytes_per_second = 78e6;
  double inner_bytes_per_second = 40e6;
  double track_seek_ms = 0.8;
  /// seek(d) = track + long sqrt(d / capacity); sqrt for the arm that accelerates and brakes. The mean over
  /// random pairs of positions, where E sqrt(d) = 8/15, is 8.5 ms.
  double long_seek_ms = 14.5;
  double rotation_ms = 60e3 / 7200;
  /// Command, controller and interrupt.
  double overhead_ms = 0.15;
  /// The rate wanders: vibration, retries, remapped sectors. A log-normal factor of this relative spread that
  /// forgets itself within `wander_seconds`. Not in any manual; of the size that repeated reads of one file
  /// show.
  double wander = 0.12;
  double wander_seconds = 3;
  /// Unequal hardware: this disk's transfer rate against the data sheet's.
  double speed = 1;
};

/// Milliseconds for the arm to move from one byte position to another; 0 when it stays.
[[nodiscard]] double seek_ms(const DiskGeometry& disk, std::int64_t from, std::int64_t to);

/// Milliseconds for `bytes` to pass below the head at a position: zones make outer tracks faster, linearly.
[[nodiscard]] double transfer_ms(const DiskGeometry& disk, std::int64_t at, std::int64_t bytes);

}  // namespace laggard::lab
