// Command lines of NVIDIA's samples.
#pragma once
bool checkCmdLineFlag(int argc, const char **argv, const char *name);
int getCmdLineArgumentInt(int argc, const char **argv, const char *name);
float getCmdLineArgumentFloat(int argc, const char **argv, const char *name);
bool getCmdLineArgumentString(int argc, const char **argv, const char *name,
                              char **value);
char *sdkFindFilePath(const char *file, const char *executable);
