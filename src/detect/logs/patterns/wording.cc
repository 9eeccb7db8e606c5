#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// A part and, at most some 50 characters behind it, what befalls it, in the words that programs of any kind
/// use.
constexpr std::array kWordings{
    LogPattern{
        "wording-environment", PartKind::kServer, kError, kFailure,
        R"((?:\b[Ff]an|\bFAN|[Pp]ower [Ss]upply|POWER SUPPLY|\b(?:PSU|psu)|[Vv]oltage|[Tt]emperature|[Tt]hermal)\b.{0,50}\b(?:(?:fail|Fail)(?:ed|ure|ing)|FAIL(?:ED|URE)|[Ff]ault(?:ed|y)?|critical|CRITICAL|[Ww]arning|WARNING|exceed(?:s|ed)?|out of range|too high|too low|over limit|not present|absent|lost))",
        "psmon: temperature of board 2 is too high", kWording},
    LogPattern{
        "wording-corrected", PartKind::kServer, kWarning, kFailure,
        R"((?:[Ee]rrors?|ERRORS?|[Ff]aults?|[Pp]arity)\b.{0,80}\b(?:corrected|CORRECTED|recovered|RECOVERED))",
        "hwd: 3 errors in bank 2 were corrected", kWording},
    LogPattern{
        "wording-memory", PartKind::kServer, kError, kFailure,
        R"((?:\b[Mm]emory|\bDIMM|\bSIMM|\bCPU|[Pp]rocessor|[Pp]arity|\bECC)\b.{0,40}\b(?:(?:fail|Fail)(?:ed|ure|ing)|FAIL(?:ED|URE)|[Ff]ault(?:ed|y)?|[Ee]rrors? (?:detected|found)|uncorrectable|not responding|is dead|deconfigured)|(?:[Mm]emory|[Pp]arity|uncorrectable ECC|[Mm]achine check) (?:[Ee]rror|ERROR|[Ff]ault))",
        "hwd: memory board 3 is deconfigured", kWording},
    LogPattern{
        "wording-disk", PartKind::kDisk, kError, kFailure,
        R"((?:\b[Dd]is[kc]s?|\bDISK|\b[Dd]rives?|\bDRIVE|\b[Ss]pindle|\bS[SC]SI|\bRAID|\bLUN|\bvolume|/dev/[a-z]+\d*|\b[hs]d[a-z]\d*|\bnvme\d\w*)\b.{0,50}\b(?:(?:fail|Fail)(?:ed|ure|ing)|FAIL(?:ED|URE)|[Ff]ault(?:ed|y)?|offline|OFFLINE|is dead|degraded|not responding|timed out|[Mm]edium error|I/O error|[Rr]ead error|[Ww]rite error|bad (?:block|sector)|removed|missing|lost)|(?:(?:fail|Fail)(?:ed|ure)|(?:lost|Lost)|[Ee]rror|I/O error) (?:of|on|in|at|to (?:read|write|access)) (?:the )?(?:[Dd]is[kc]|[Dd]rive|[Vv]olume|/dev/))",
        "storaged: drive 7 of shelf 2 failed", kWording},
    LogPattern{
        "wording-link", PartKind::kLink, kError, kFailure,
        R"((?:\b[Ll]inks?|\bLINK|\b[Cc]able|\b(?:eth|ib|en|bond)\d\w*|\bNIC|\b[Ii]nterface|\b[Pp]orts?|[Tt]ransceiver|\b[Cc]arrier|\brails?)\b.{0,40}\b(?:(?:fail|Fail)(?:ed|ure|ing)|FAIL(?:ED|URE)|(?:is|was|went|gone|goes|now|state|status|marked|:) ?(?:(?:down|Down)|DOWN)|(?:down|Down)$|(?:lost|Lost)|LOST|[Ee]rrors?|ERRORS?|[Ff]lapping|disconnected|unplugged|not responding|timed out|disabled|reset))",
        "fabricd: link 12 to leaf 3 went down", kWording},
    LogPattern{
        "wording-switch", PartKind::kSwitch, kError, kFailure,
        R"((?:\b[Ss]witch|\bSWITCH|\b[Hh]ub|\b[Ll]eaf|\b[Ss]pine)(?: [Mm]odules?| [Cc]hips?| [Cc]ards?| \S+)?\b.{0,40}\b(?:(?:fail|Fail)(?:ed|ure|ing)|FAIL(?:ED|URE)|(?:is|was|went|gone) ?(?:(?:down|Down)|[Oo]ffline)|not responding|timed out|unreachable|[Ee]rrors?|ERRORS?|alert|broken))",
        "smd: switch 4 not responding", kWording},
    LogPattern{
        "wording-network", PartKind::kNetwork, kError, kFailure,
        R"((?:\b[Nn]etwork|\b[Ii]nterconnect|\b[Ff]abric|\b[Rr]oute|\b[Cc]onnections?|\b[Bb]roadcast|\b[Pp]ackets?)\b.{0,40}\b(?:(?:fail|Fail)(?:ed|ure|ing)|FAIL(?:ED|URE)|(?:is|was|went) ?(?:(?:down|Down)|broken)|(?:lost|Lost)|timed out|unreachable|refused|[Ee]rrors?|ERRORS?|broken|reset by peer|dropped|corrupt(?:ed)?))",
        "amd: the interconnect is down", kWording},
    LogPattern{
        "wording-file-system", PartKind::kTarget, kError, kFailure,
        R"((?:\b[Ff]ile ?[Ss]ystems?|FileSystems?|\b[Mm]ount(?:ed)?|\b[Ss]uperblock|\b[Ii]nodes?|\b[Jj]ournal|[Mm]etadata|\bOST|\bMDT|\b[Oo]bject store)\b.{0,50}\b(?:(?:fail|Fail)(?:ed|ure|ing)|FAIL(?:ED|URE)|corrupt(?:ed|ion)?|is full|no longer (?:served|available)|read-only|unavailable|not available|not responding|is down|timed out|inconsistent|[Ss]tale|[Ee]rrors?|ERRORS?))",
        "fsd: file system /scratch is not available", kWording},
    LogPattern{
        "wording-server", PartKind::kServer, kError, kFailure,
        R"((?:\b[Nn]odes?|\bNODES?|\b[Hh]osts?|\b[Ss]ervers?|\b[Mm]achine|\b[Bb]lade|\b[Dd]aemon|\b[Dd]omain|\b[Mm]ember|\b[Ss]ource|\b[Pp]eer|\b[Cc]luster)\b.{0,50}\b(?:(?:fail|Fail)(?:ed|ure|ing)|FAIL(?:ED|URE)|(?:is|was|went|are|now|state|status|marked|:) ?(?:(?:down|Down)|DOWN|(?:dead|Dead)|DEAD|[Oo]ffline|OFFLINE)|unreachable|not (?:responding|answering|available)|no (?:response|answer)|unresponsive|unavailable|timed out|crashed|hung|(?:has )?died|panic(?:ked)?|evicted|halted|rebooting unexpectedly|lost)|\b(?:[Tt]here is no|[Nn]o) (?:server|node|host) for\b)",
        "clmd: member 12 is not answering", kWording},
    LogPattern{
        "wording-program", PartKind::kProcess, kError, kFailure,
        R"((?:exited abnormally|terminated abnormally|ABNORMALLY|killed by signal|[Ss]egmentation (?:fault|violation)|dumped core|core dumped|[Oo]ut of memory|cannot allocate memory|[Nn]o space left|[Tt]oo many open files|resources? (?:exhausted|temporarily unavailable)|assertion .{0,60}failed))",
        "jobd: child 4711 was killed by signal 9", kWording},
    LogPattern{
        "wording-no-answer", PartKind::kServer, kError, kFailure,
        R"((?:[Nn]ot? (?:answer|response|reply) (?:from|within|by)|did ?n[o']t (?:answer|respond)|does ?n[o']t (?:answer|respond)|[Cc]an(?:not|'t) (?:reach|contact|connect to)|[Uu]nable to (?:reach|contact|connect to)|[Ff]ailed to (?:reach|contact|connect to)|[Nn]o route to host|\bnot[ -]responding\b|[Cc]onnection (?:refused|timed out)))",
        "statd: cannot contact c12", kWording},
};

}  // namespace

std::span<const LogPattern> wording_patterns() { return kWordings; }

}  // namespace laggard::detect
