// A library whose function is called as the build says.
namespace {
volatile int sink = 0;
}
extern "C" void LAGGARD_COUNTED_NAME();
extern "C" void LAGGARD_COUNTED_NAME() { sink = sink + 1; }
