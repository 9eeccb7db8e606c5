#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// Memory, processors, buses, power and cooling.
constexpr std::array kMemory{
    LogPattern{"edac-ue", PartKind::kServer, kCritical, kFailure,
               R"(EDAC (?:\S+ )?MC\d+: (?:\d+ )?UE\b|EDAC.*[Uu]ncorrected error)",
               "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0 (channel:1 slot:0 "
               "page:0x1234 offset:0x0)"},
    LogPattern{"edac-ce", PartKind::kServer, kWarning, kFailure,
               R"(EDAC (?:\S+ )?MC\d+: (?:\d+ )?CE\b|EDAC.*[Cc]orrected error)",
               "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0 (channel:1 slot:0 "
               "page:0x1234 offset:0x0)",
               kCorrected},
    LogPattern{"mce-exception", PartKind::kServer, kCritical, kFailure,
               "Machine Check Exception|MACHINE CHECK EXCEPTION|Fatal machine check",
               "mce: [Hardware Error]: CPU 3: Machine Check Exception: 5 Bank 4: be00000000800400"},
    LogPattern{"mce-logged", PartKind::kServer, kWarning, kFailure, "Machine check events logged",
               "mce: [Hardware Error]: Machine check events logged"},
    LogPattern{"mce-killed", PartKind::kServer, kError, kFailure,
               R"(Killing \S+ due to hardware memory corruption)",
               "MCE 0x1234: Killing ceph-osd:1234 due to hardware memory corruption fault at 7f31c0a0c700"},
    LogPattern{"memory-failure", PartKind::kServer, kError, kFailure, "[Mm]emory failure: 0x[0-9a-f]+:",
               "Memory failure: 0x1234: recovery action for dirty LRU page: Recovered"},
    LogPattern{
        "apei-error", PartKind::kServer, kError, kFailure,
        R"(Hardware error from APEI|\[Hardware Error\]: +(?:event severity|section_type|Error \d+, type): ?(?:fatal|recoverable|uncorrect|memory))",
        "{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1"},
    LogPattern{"apei-corrected", PartKind::kServer, kWarning, kFailure,
               R"(\[Hardware Error\]: +(?:event severity|Error \d+, type): corrected)",
               "{1}[Hardware Error]: event severity: corrected", kCorrected},
    LogPattern{
        "memory-threshold", PartKind::kServer, kError, kFailure,
        "[Cc]orrected memory errors? .*exceed|[Cc]orrectable (?:ECC|memory) .*(?:limit|threshold|exceed)",
        "Corrected memory errors on page 1234000 exceeded threshold: 10 in 24h"},
    LogPattern{"memory-ecc", PartKind::kServer, kError, kFailure,
               "(?:[Uu]ncorrectable|[Mm]ulti-bit) (?:ECC|memory)|[Mm]emory parity error",
               "System event: DIMM_A3 uncorrectable ECC asserted"},
    LogPattern{"nmi-unknown", PartKind::kServer, kError, kFailure,
               R"(NMI received for unknown reason|Uhhuh\. NMI)",
               "Uhhuh. NMI received for unknown reason 2d on CPU 0."},
    LogPattern{"cpu-throttled", PartKind::kServer, kError, kFailure,
               "(?:Core|Package) temperature above threshold, cpu clock throttled",
               "CPU3: Core temperature above threshold, cpu clock throttled (total events = 5)"},
    LogPattern{"cpu-cool", PartKind::kServer, kNotice, kRecovery, "(?:Core|Package) temperature/speed normal",
               "CPU3: Core temperature/speed normal"},
    LogPattern{"temperature", PartKind::kServer, kError, kFailure,
               "[Tt]emperature .*(?:[Uu]pper (?:[Cc]ritical|[Nn]on-recoverable)|over ?temperature|exceeds? "
               "(?:the )?(?:limit|threshold))",
               "Temperature sensor CPU1 Temp: Upper Critical going high, reading 98 > threshold 95"},
    LogPattern{
        "fan-failed", PartKind::kServer, kError, kFailure,
        R"([Ff]an\S* .*(?:[Ll]ower (?:[Cc]ritical|[Nn]on-recoverable)|has failed|failure detected|not spinning))",
        "Fan FAN3: Lower Critical going low, reading 0 < threshold 500"},
    LogPattern{"power-supply", PartKind::kServer, kError, kFailure,
               "[Pp]ower [Ss]upply.*(?:[Ff]ailure|[Ff]ailed|input lost|[Rr]edundancy [Ll]ost|AC lost)",
               "Power Supply PS2 Status: Failure detected, Asserted"},
    LogPattern{"voltage", PartKind::kServer, kError, kFailure,
               R"([Vv]oltage\S* .*(?:[Cc]ritical|out of range|fail))",
               "Voltage VCORE: Lower Critical going low"},
    LogPattern{"pcie-fatal", PartKind::kServer, kCritical, kFailure,
               R"((?:AER: |PCIe Bus Error: severity=)Uncorrect(?:ed|able) \((?:Fatal|Non-Fatal)\))",
               "pcieport 0000:00:1c.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction "
               "Layer, (Requester ID)"},
    LogPattern{"pcie-corrected", PartKind::kServer, kWarning, kFailure,
               R"((?:AER: (?:Multiple )?|PCIe Bus Error: severity=)Corrected\b)",
               "pcieport 0000:00:1c.0: AER: Corrected error received: 0000:01:00.0", kCorrected},
    LogPattern{"pcie-link", PartKind::kServer, kError, kFailure,
               R"(pciehp: Slot\(\S+\): (?:Link Down|Card not present)|DPC: containment event)",
               "pcieport 0000:00:1c.0: pciehp: Slot(1): Link Down"},
};

}  // namespace

std::span<const LogPattern> memory_patterns() { return kMemory; }

}  // namespace laggard::detect
